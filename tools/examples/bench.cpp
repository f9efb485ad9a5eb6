// SPDX-License-Identifier: Apache-2.0
// A bench in C++ (cppzmq, protobuf): owns one input and answers every output sample with a value.
#include "linkage.pb.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <zmq.hpp>
using namespace linkage::v1;
static zmq::context_t context;
static std::string at[] = {"tcp://127.0.0.1:5600", "tcp://127.0.0.1:5601", "tcp://127.0.0.1:5602"};

static uint64_t now_ns() { return std::chrono::steady_clock::now().time_since_epoch().count(); }
// A fresh socket leaves no request behind for the next daemon. An empty reply: nobody answers.
static ControlReply ask(const ControlRequest &request)
{
    zmq::socket_t socket(context, zmq::socket_type::req);
    zmq::message_t message; ControlReply reply;
    socket.set(zmq::sockopt::rcvtimeo, 1000);
    socket.connect(at[0]);
    socket.send(zmq::buffer(request.SerializeAsString()));
    if (socket.recv(message)) reply.ParseFromString(message.to_string());
    return reply;
}
// Describe, then claim with the unit that we have in mind. An empty claim: it was not granted.
static Claim claim_channel(const std::string &name, const std::string &unit, uint64_t &token)
{
    ControlRequest describe, request;
    describe.mutable_describe();
    if (!ask(describe).has_description()) return {};
    request.mutable_claim()->set_bench("C++ example"), request.mutable_claim()->set_token(token);
    request.mutable_claim()->add_channels()->set_name(name);
    request.mutable_claim()->mutable_channels(0)->add_units(unit);
    ControlReply reply = ask(request);
    puts((reply.has_claim() ? "claimed " + name : "refused: " + reply.text()).c_str());
    if (reply.has_claim()) token = reply.claim().token();
    return reply.claim();
}
int main(int argc, char **argv)
{
    if (argc < 4) return puts("usage: bench CHANNEL UNIT SECONDS [CONTROL INPUTS OUTPUTS]"), 2;
    std::copy(argv + 4, argv + std::min(argc, 7), at);
    context.set(zmq::ctxopt::blocky, false);       // at the end, what is unsent is dropped
    zmq::socket_t inputs(context, zmq::socket_type::pub), outputs(context, zmq::socket_type::sub);
    inputs.set(zmq::sockopt::immediate, 1);        // keep no samples for a daemon that is not there
    outputs.set(zmq::sockopt::subscribe, "\x08");  // every output sample
    outputs.set(zmq::sockopt::subscribe, "\x0a");  // ten heartbeats a second, in every state
    outputs.set(zmq::sockopt::rcvtimeo, 1000);
    inputs.connect(at[1]), outputs.connect(at[2]);
    uint64_t token = 0, claims = 0, sequence = 0, seen = 0, start = now_ns();
    std::vector<double> trips;
    Claim claim; Heartbeat beat; OutputSample sample; zmq::message_t message;
    while (double(now_ns() - start) < atof(argv[3]) * 1e9) {
        if (!outputs.recv(message)) { claim.Clear(); continue; }  // the daemon or the line is gone
        const uint64_t received = now_ns();
        InputSample answer; const std::string bytes = message.to_string();
        if (bytes[0] == 0x0a && beat.ParseFromString(bytes)) {
            if (beat.daemon_id() != claim.daemon_id() || beat.model_id() != claim.model_id())
                claim = claim_channel(argv[1], argv[2], token), claims += claim.token() != 0;
            answer.set_heartbeat(true);             // keeps the claim
        } else if (sample.ParseFromString(bytes) && sample.model_id() == claim.model_id()) {
            for (const Echo &echo : sample.echoes())  // our newest sample that acts in this one
                if (echo.claim() == claim.number() && echo.sequence() > seen)
                    seen = echo.sequence(), trips.push_back(double(received - echo.origin_ns()));
            answer.set_sequence(++sequence);
            answer.add_values(0.5 * std::sin(2 * M_PI * sample.time_s()));
            answer.set_reply_to(sample.sequence()), answer.set_reply_received_ns(received);
            answer.set_reply_published_ns(sample.published_ns());
            answer.set_origin_ns(now_ns());
        } else continue;
        answer.set_token(claim.token());
        if (claim.token()) inputs.send(zmq::buffer(answer.SerializeAsString()));
    }
    ControlRequest last; last.mutable_release()->set_token(token), ask(last);
    std::sort(trips.begin(), trips.end());
    auto part_us = [&](double q) { return trips[size_t(q * double(trips.size() - 1))] / 1e3; };
    if (trips.empty()) return puts("no round trips"), 1;
    printf("claims %lu, round trips %zu: p50 %.0f us, p99 %.0f us, max %.0f us\n", claims,
           trips.size(), part_us(0.5), part_us(0.99), part_us(1));
}
