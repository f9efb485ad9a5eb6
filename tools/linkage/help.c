/* SPDX-License-Identifier: Apache-2.0 */
/* The manual of linkage, or its section on one subcommand. */
#include "commands.h"

#include <stdio.h>
#include <string.h>

/* The text has several parts, because C guarantees string literals only up to 4095 characters. */
#define HELP_FORCE "      --force             replace any file there\n"

static const char help_usage[] =
    "usage: linkage run MODEL [options]      simulate, as fast as possible\n"
    "       linkage check MODEL [options]    validate and explain a model\n"
    "       linkage params MODEL             its numbers by their paths, for --param\n"
    "       linkage flatten MODEL [-o FILE]  a model of parts as one text\n"
    "       linkage view MODEL --png FILE    a picture of it, and of what does not close; --html: "
    "a page\n"
    "       linkage equilibrium MODEL        where it rests, and the forces that hold it\n"
    "       linkage modes MODEL [options]    how it swings about that, and A, B, C, D of it\n"
    "       linkage kc MODEL [options]       wheel angles, steering axis, roll centre over travel\n"
    "       linkage flex MODEL --beam NAME | JOB.inp [options]   modes of a body as a mode file\n"
    "       linkage plot FILE [CHANNEL...]   a CSV, a recording, a study or a model, drawn\n"
    "       linkage washout FILE -c CONFIG   a recorded drive on a platform with another washout\n"
    "       linkage sweep STUDY -o TABLE.csv many cases of a model: parameters, inputs, checks\n"
    "       linkage compare MODEL [options]  the same model by many methods, with their errors\n"
    "       linkage methods                  formulations and integrators there are\n"
    "       linkage bench [MODEL...]         measure how long a step takes on this machine\n"
    "       linkage doctor [options]         is this machine fit for real time?\n"
    "       linkage replay FILE [options]    run a recording again, compare every bit\n"
    "       linkage export FILE [options]    a recording as CSV or MAT-file\n"
    "       linkage info FILE                what a recording holds\n"
    "       linkage report FILE [options]    a recording as a page to sign: was every deadline "
    "met?\n"
    "       linkage tyre FILE.tir            a tyre property file as the law of a tyre\n"
    "       linkage road FILE -o FILE.road   OpenCRG or OpenDRIVE as a height field of a road\n"
    "       linkage import FILE -o MODEL [options]   URDF, MJCF or Simscape as a model\n"
    "       linkage fmu MODEL -o FILE.fmu    a model as a unit of FMI for co-simulation\n"
    "       linkage --help | --version\n"
    "\n"
    "MODEL is a YAML file; doc/reference documents it, config/models has examples.\n"
    "  -p, --param PATH=VALUE  another number than in the file: bodies.arm.mass=2, gravity.3=-9.8, "
    "or\n"
    "                          the name of one of its parameters; of run, check, params,\n"
    "                          flatten, equilibrium, modes, kc, flex, plot, compare. May be given\n"
    "                          several times\n"
    "\n";

static const char help_run[] =
    "run:\n"
    "  -s, --step S            step size [s], 1e-6 to 0.1; otherwise as in the model\n"
    "  -d, --duration S        simulated time [s]; default 10\n"
    "  -i, --iterations N      Newton iterations a step, 1 to 20; otherwise as in the model\n"
    "      --contact-rounds N  repeat the passes of contacts N times, 1 to 1000: with 100 the "
    "exact\n"
    "                          forces of each step, as a reference for those of fixed passes\n"
    "  -o, --output FILE.csv   write the output channels; - is the standard output\n" HELP_FORCE
    "      --plot FILE         draw the outputs, as plot does: .svg, .png or .html\n"
    "  -n, --every N           one row every N steps; default 1\n"
    "  -j, --json              the summary for programs\n"
    "  -w, --workers N         threads that share a step, 1 to 64, or auto: as many as the\n"
    "                          model pays for; default 1. The results have the same bits\n"
    "      --set CHANNEL=VALUE[,VALUE...]\n"
    "                          hold an input constant from the first step on; the row at\n"
    "                          t = 0, as inputs without it, has initial values\n"
    "                          May be given several times\n"
    "      --inputs FILE       inputs that change: a CSV with the time and a column for each "
    "input,\n"
    "                          or a recording, also of another model. A row holds until the next\n"
    "      --interpolate       their values go linearly from row to row instead\n"
    "      --save-state FILE   keep the state at the end, in a new file\n"
    "      --start-state FILE  begin with a state that was kept, with its time: the same bits as "
    "if\n"
    "                          the run had not been interrupted\n"
    "      --formulation F     another way to the equations of motion, or\n"
    "      --integrator I      another way through time, see linkage methods\n"
    "      --tolerance T       of integrators with error control, 1e-14 to 0.1, relative;\n"
    "                          --step is then the first one tried, and what rows are apart\n"
    "      --absolute-tolerance A  an error is compared with A + T |y|; default T\n"
    "      --orientation O     lie, parameters, angles, euler or resal; in absolute coordinates\n"
    "      --stabilisation S   none, baumgarte, projection, or position (complement alone)\n"
    "      --baumgarte A,B     its alpha and beta [1/s]; default 5,5\n"
    "      --spectral-radius R generalized-alpha: of what is fast for the step, 0.001 (gone at "
    "once)\n"
    "                          to 1 (stays); default 0.9\n"
    "      --kappa K           where Newton iterations end, of the tolerance, 1e-10 to 1\n"
    "      --first-steps S,T   bdf-1 to bdf-6: steps of S [s] until T [s], then those of --step\n"
    "\n";

static const char help_sweep[] =
    "sweep:                    STUDY is a YAML file; doc/studies.md documents it\n"
    "  -o, --output TABLE.csv  a row for each case; beside it TABLE.csv.journal, by which the\n"
    "                          same command goes on after a kill\n" HELP_FORCE
    "  -j, --jobs N            processes; default: one for each core\n"
    "      --shard K/N         part K of N, from 1, with a journal of its own; otherwise as\n"
    "                          arrays of Slurm say in the environment. Ranks of Open MPI\n"
    "                          (mpirun) share the cases while they run\n"
    "      --join              make the table of journals: sweep --join JOURNAL... -o TABLE.csv\n"
    "      --case N            run case N alone; --output is then a CSV as of run\n"
    "      --list              only print the values of all cases\n"
    "      --fresh             begin anew, whatever the journal has\n"
    "      --json              the summary for programs\n"
    "\n";

static const char help_compare[] =
    "compare:                  lists are separated by commas; all combinations are made\n"
    "      --formulations F    names of linkage methods, complement:all, all\n"
    "      --integrators I     likewise. By default each formulation with one integrator,\n"
    "                          and each integrator with one formulation\n"
    "      --steps S           [s]; default 10, 5 and 2.5 times the model's\n"
    "      --tolerances T      of integrators with error control; default 1e-6,1e-8,1e-10\n"
    "      --orientations O    --stabilisations S    --baumgarte A,B    --set ..., as for run\n"
    "  -d, --duration S        [s]; default 1, or as long as the reference\n"
    "  -r, --reference FILE    right values: a CSV as run writes it, or with columns like\n"
    "                          BODY.x, BODY.qw, JOINT.fx; otherwise a method with a second\n"
    "                          one that confirms it\n"
    "      --map COLUMN=NAME   what a column of it is called in the model\n"
    "  -o, --output DIR        for compare.csv, drift.csv and two pictures; default\n"
    "                          compare-output\n" HELP_FORCE
    "  -l, --limit S           processor time of a run; default 2\n"
    "  -j, --json              for programs\n"
    "\n";

static const char help_kc[] =
    "kc:                       wheels go up and down with the chassis fixed; rigid joints\n"
    "  -w, --wheel JOINT[,JOINT...]\n"
    "                          revolute joints of carrier and wheel; default: those of tyres\n"
    "      --radius R          of all wheels [m]; default: those of their tyres\n"
    "      --chassis BODY      default: the heaviest body; ground: of a rig\n"
    "      --steer JOINT       its coordinate steers; default: joints driven by the only input\n"
    "                          that drives joints; none: nothing steers\n"
    "  -r, --range R           wheel travel to both sides [m]; default 0.08\n"
    "  -n, --points N          rows of a curve, 3 to 10001; default 33\n"
    "      --opposite          the right wheel goes down while the left one goes up (roll)\n"
    "      --steer-range R     steering travel to both sides [m or rad]; default: limits of the\n"
    "                          input, else 0.05 m or 0.5 rad\n"
    "      --brake-share S     share of the front axle in braking, 0 to 1: anti-dive, anti-lift\n"
    "      --drive-share S     share of the front axle in driving: anti-lift, anti-squat\n"
    "  -o, --output FILE.csv   a row for each height; - is the standard output\n"
    "      --steer-output FILE.csv  a row for each steering travel\n" HELP_FORCE
    "      --plot FILE         draw the curves: .svg or .png, by gnuplot\n"
    "  -j, --json              all values on the standard output, SI units\n"
    "\n";

static const char help_flex[] =
    "flex:                     modes of a free body, see doc/reference/mode-files.md\n"
    "  -b, --beam NAME         a beam of the model; its interface: both ends and named nodes\n"
    "      JOB.inp             or files of CalculiX, *FREQUENCY, SOLVER=MATRIXSTORAGE\n"
    "      --mass M.mtx --stiffness K.mtx --nodes NODES.csv\n"
    "                          or matrices with 3 or 6 rows a node (Matrix Market, DMIG of\n"
    "                          Nastran, Abaqus, lines of numbers), and lines id, x, y, z; after\n"
    "                          6 rows a node there may be those of modes of a reduced model\n"
    "      --units mm-t        the files are in mm, t, N instead of m, kg, N\n"
    "  -i, --interface NAME=ID[,ID-ID...][@X,Y,Z]\n"
    "                          of matrices: a node, or several nodes tied to their mean point or\n"
    "                          to X,Y,Z as a rigid body; ~ instead of =: on average. Of CalculiX\n"
    "                          also names of sets of nodes. May be given several times\n"
    "      --recovery NAME=FILE[,UNIT]\n"
    "                          a matrix that gives a stress or load from the displacements\n"
    "      --gauge NAME=ID,ID  the strain between two nodes\n"
    "      --stress NAME=ID    of CalculiX: the stress at a node, by its solid elements\n"
    "  -m, --modes N           number of modes, static ones included; default 20\n"
    "      --to HZ             instead: all fixed-interface modes up to HZ, and all static modes\n"
    "      --free              the lowest modes of the free body alone, without static modes\n"
    "      --second N          data of second order for the first N modes; default 24\n"
    "      --damping RATIO     ratio to critical damping of all modes; default: dampers of a beam\n"
    "      --all-nodes         all nodes of a beam in the mode file, as n0, n1 ..\n"
    "  -o, --output FILE       write the mode file; - is the standard output\n" HELP_FORCE
    "  -j, --json              the table of the modes for programs\n"
    "\n";

static const char help_others[] =
    "check:\n"
    "  -j, --json              for programs\n"
    "  -t, --tree              draw the elimination tree, too\n"
    "  -d, --dot               only the elimination tree, for Graphviz\n"
    "  -T, --treatment         what the compiler made of each body, joint and force, too\n"
    "  -s, --strict            exit with 3 where something looks wrong\n"
    "  -r, --rate JOINT=VALUE  examine turns, modes and iterations at this rate of a joint\n"
    "                          instead of the start's; rad/s or m/s. May be given several\n"
    "                          times: blows along these coordinates, one after another\n"
    "\n"
    "modes:\n"
    "      --still             as if nothing moved there, whatever velocities the model has\n"
    "      --pose              about the drawing, not about the static equilibrium\n"
    "      --turning BODY      about the steady rotation of all with the angular velocity of this\n"
    "                          body, and in axes that turn with it\n"
    "  -o, --output PREFIX     write A, B, C and D of x' = A x + B u, y = C x + D u, for inputs u "
    "and\n"
    "                          outputs y, to PREFIX-A.csv .. PREFIX-D.csv\n" HELP_FORCE
    "  -m, --mode N            draw mode N of the table, and what it is at rest, into\n"
    "  -s, --svg FILE\n"
    "      --html FILE         or move it on a page for a browser\n"
    "  -j, --json              the table for programs\n"
    "\n"
    "equilibrium:\n"
    "  -j, --json              for programs\n"
    "\n"
    "info:\n"
    "  -j, --json              for programs\n"
    "\n"
    "params:\n"
    "  -j, --json              for programs\n"
    "\n";

static const char help_pictures[] =
    "plot:\n"
    "      CHANNEL             a panel for each: a channel, a component, or several separated\n"
    "                          by commas; default: every channel that changes. Of the table of\n"
    "                          a sweep: RESULT:QUANTITY; default: each over each varied quantity\n"
    "  -o, --output FILE       .svg or .png, by gnuplot; default plot.svg. Or .html: a page for a\n"
    "                          browser with all channels, zoom and search, without a "
    "network\n" HELP_FORCE
    "  -t, --topic TOPIC       of a recording: outputs (the default), inputs, cycle\n"
    "      --from S  --to S    only these times\n"
    "      --bode INPUT:OUTPUT of a model: gain and phase about its static equilibrium. May be\n"
    "                          given several times\n"
    "      --locus PATH=A:B    of a model: its eigenvalues while a parameter goes from A to B\n"
    "      --pose              about the drawing, not about the static equilibrium\n"
    "      --size WxH          in pixels\n"
    "\n"
    "washout:\n"
    "      FILE                a recording or a CSV with an output of type inertial-sensor\n"
    "  -c, --config FILE       configuration of linkaged, of which the section cueing is used:\n"
    "                          strokes and rates of the actuators, when the guard acts, what is\n"
    "                          felt of the cues, and the scales that would fit\n"
    "  -s, --sensor NAME       another output than the section names\n"
    "  -t, --topic TOPIC       of a recording: outputs (the default)\n"
    "  -o, --output FILE.csv   cues, felt forces, pose, actuators in each step\n" HELP_FORCE
    "  -j, --json              for programs\n"
    "\n"
    "bench:\n"
    "      MODEL               a file, a folder of files, a built-in model, or built-in for\n"
    "                          all of those, which is also what it does without any\n"
    "  -l, --list              names of the built-in models; other numbers do, too\n"
    "  -t, --time S            measure each model for so long; default 0.5\n"
    "  -s, --steps N           or for so many steps\n"
    "  -q, --quick             for 0.02 s: to see that it works, not to be believed\n"
    "  -w, --workers N[,N...]  numbers of workers to compare, in one run; default 1\n"
    "  -j, --json              for programs\n"
    "\n"
    "doctor:\n"
    "  -c, --core LIST         cores of the cycle, like 3 or 2-3; otherwise the isolated ones,\n"
    "                          or the last one as linkaged takes it\n"
    "  -p, --priority N        of the cycle, 1 to 99; default 80\n"
    "  -d, --directory DIR     judge the place for evidence and recordings, too\n"
    "      --probe S           look for gaps on the cores for so long; default 1, 0: not\n"
    "      --root DIR          read proc and sys below DIR instead, and try nothing\n"
    "  -q, --quiet             only what is not ok\n"
    "  -j, --json              for programs\n"
    "\n"
    "view:\n"
    "  -p, --png FILE          the picture, or\n"
    "  -s, --svg FILE          the same as lines and faces\n"
    "      --html FILE         a page for a browser, without server or network: drag the time, "
    "turn\n"
    "                          the mechanism, show joints, centres of mass, frames, what is "
    "open\n" HELP_FORCE
    "  -t, --time S            simulate so long first, with --set and --param; default 0, and 5\n"
    "                          for a page, which has the way there\n"
    "                          Of a recording (MCAP) --html alone: its whole motion, to be played\n"
    "                          as slowly as 1/100, again and again\n"
    "  -r, --roads FOLDER      of a recording: the files of its roads; default: beside it\n"
    "      --from X,Y,Z        direction to the eye; otherwise from the side of what is flat\n"
    "      --size WxH          of the page in pixels; default 960x640\n"
    "      --names             of the bodies, too\n"
    "      --frames            the axes of the bodies, too\n"
    "      --boxes             homogeneous boxes of their mass and inertia, too\n"
    "\n";

static const char help_flatten[] =
    "flatten:\n"
    "  -o, --output FILE.yaml  otherwise the standard output. Parts are included, expressions and\n"
    "                          the values of --param are numbers\n" HELP_FORCE "\n";

static const char help_files[] =
    "replay:\n"
    "      FILE                a recording of linkaged (MCAP)\n"
    "  -m, --model MODEL       this model instead of the one in the recording\n"
    "  -r, --roads FOLDER      where the files of its roads are; default: beside the recording\n"
    "  -w, --workers N         threads that share a step, 1 to 64; default 1\n"
    "  -l, --limit N           so many steps at most\n"
    "\n"
    "road:\n"
    "  -o, --output FILE.road  what a road of type grid names\n" HELP_FORCE
    "  -s, --step M            distance of its nodes [m]; default: the finest of OpenCRG, or 0.25\n"
    "  -m, --margin M          so far beyond its borders the road goes on level [m]; default 1\n"
    "  -g, --ground Z          of OpenDRIVE: level ground of this height beside the roads, into\n"
    "                          which the margin goes over [m]; default: none\n"
    "\n"
    "import:\n"
    "  -o, --output MODEL.yaml written if our own reader and compiler accept it\n" HELP_FORCE
    "      --root R            of URDF, which does not say it: fixed: the root link stands;\n"
    "                          floating: it is free\n"
    "      --joint NAME=VALUE  draw a joint at this angle or displacement [rad, m]; default 0.\n"
    "                          May be given several times\n"
    "      --gravity X,Y,Z     [m/s^2] instead of what the file says; default along -z\n"
    "      --loops FILE.yaml   pairs of frames that close loops, see doc/import.md\n"
    "      --stops K,C         stiffness and damping of end stops, or none; default 1e6,1e4\n"
    "      --repair            mend inertia that no body has, lock joints of massless ends\n"
    "      --density RHO       estimate masses of links of URDF without <inertial> from their\n"
    "                          boxes, spheres and cylinders [kg/m^3]\n"
    "\n"
    "fmu:\n"
    "  -o, --output FILE.fmu   see doc/fmi.md\n" HELP_FORCE
    "      --version V         of FMI, 2 or 3; default 3\n"
    "      --source            with its sources, for importers that compile\n"
    "\n";

static const char help_export[] =
    "export:\n"
    "  -t, --topic TOPIC       outputs (the default), inputs, cycle or events\n"
    "  -o, --output FILE.csv   otherwise the standard output. FILE.mat: for MATLAB, Octave,\n"
    "                          scipy.io.loadmat; FILE.mf4: ASAM MDF 4.1, compressed\n" HELP_FORCE
    "  -c, --channels A,B      only these: names of channels, or of components as A.x\n"
    "      --from S  --to S    only these times\n"
    "  -n, --every N           one row of N\n"
    "  -s, --scene FILE.mcap   instead: the recording with the motion of all bodies and their\n"
    "                          shapes, for Foxglove, Lichtblick, rerun\n"
    "      --rate HZ           pictures of the motion a second; default 60\n"
    "  -r, --roads FOLDER      for it, as of replay\n"
    "      --a2l MODEL             instead of a recording: the A2L file of a model for masters of\n"
    "                          XCP, as linkage-xcp has it\n"
    "      --address A --port N    where that listens; 127.0.0.1, 5555\n"
    "      --dbc MODEL             instead of a recording: the DBC file of a model for its "
    "signals\n"
    "                          on a CAN bus, see linkage-can\n"
    "      --fd                    with messages of CAN FD, of 64 bytes\n"
    "\n"
    "report:\n"
    "  -o, --output FILE       .html, or .pdf by chromium; default report.html\n" HELP_FORCE
    "  -a, --attach FILE       a text or a PNG at its end: linkagectl latency (the proof of the\n"
    "                          budget), linkage doctor. May be given several times\n"
    "  -l, --latency FOLDER    table and picture of linkage-latency\n"
    "\n"
    "The CSV has one column a scalar, named output.component [unit], the first is time [s];\n"
    "the first row is the start. A summary follows on the standard output (on the standard\n"
    "error when the CSV goes there).\n"
    "\n"
    "Exit status: 0 done; 1 the model was refused or the run failed; 2 wrong usage.\n"
    "Of check --strict: 3 a good model, but there are warnings.\n"
    "Of report: 3 it is not shown that every deadline was met.\n"
    "Of sweep: 0 all cases passed; 3 the table is complete, and some did not.\n"
    "Of replay: 0 every bit is the same; 1 one differs, or not all can be compared; 2 wrong "
    "usage.\n"
    "Of doctor: 0 all is ok or unknown; 1 there is a warning, linkaged arms all the same;\n"
    "2 something fails, or linkaged refuses to arm without --allow-degraded; 3 wrong usage.\n"
    "\n"
    "  linkage run config/models/four-bar.yaml --duration 30 --set motor=5 -o four-bar.csv\n"
    "  linkage compare config/models/four-bar.yaml --formulations ali3,hdca,complement:qr\n";

static const char *const texts[] = {help_usage,    help_run,   help_sweep,  help_compare,
                                    help_kc,       help_flex,  help_others, help_flatten,
                                    help_pictures, help_files, help_export};

const struct option_row only_help[] = {{"help", 'h', .end = print_help}, {NULL}};

/* subcommand whose help is printed; NULL: all of them */
static const char *about;

void help_is_about(const char *subcommand)
{
    about = subcommand;
}

static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');

    return end == NULL ? line + strlen(line) : end + 1;
}

static void print_line(const char *line)
{
    fwrite(line, 1, (size_t)(next_line(line) - line), stdout);
}

static bool begins(const char *line, const char *with)
{
    return strncmp(line, with, strlen(with)) == 0;
}

/* Return true if @line begins with the subcommand, not followed by a letter. */
static bool names(const char *line)
{
    return begins(line, about) && (line[strlen(about)] == ' ' || line[strlen(about)] == ':');
}

/* Return true if the paragraph about models, at @text, lists the subcommand among those with
 * --param. */
static bool takes_params(const char *text)
{
    const char *word = text;

    while ((word = strstr(word, about)) != NULL) {
        word += strlen(about);
        if (word[0] == ',' || word[0] == '.')
            return true;
    }
    return false;
}

/* Print the usage lines of the subcommand, and the paragraphs on models and parameters. */
static void print_usage_of(void)
{
    const char *line = help_usage;
    bool is_in = false, is_first = true;

    for (; !begins(line, "\n"); line = next_line(line)) {
        const char *word = line + strlen("usage: linkage ");

        if (begins(line, "usage: linkage ") || begins(line, "       linkage "))
            is_in = names(word);
        if (is_in) {
            printf("%s", is_first ? "usage: " : "       ");
            print_line(line + strlen("usage: "));
            is_first = false;
        }
    }
    if (!takes_params(line))
        return;
    for (; *line != '\0'; line = next_line(line))
        print_line(line);
}

/* Print the section of the subcommand. A section begins with "NAME:" and ends with an empty
 * line. */
static void print_section_of(void)
{
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        for (const char *line = texts[i]; *line != '\0'; line = next_line(line)) {
            if (!names(line) || (line != texts[i] && line[-2] != '\n'))
                continue;
            for (line = next_line(line); *line != '\0' && *line != '\n'; line = next_line(line))
                print_line(line);
            return;
        }
}

int print_help(void)
{
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]) && about == NULL; i++)
        fputs(texts[i], stdout);
    if (about != NULL) {
        print_usage_of();
        print_section_of();
        puts("\nAll subcommands: linkage --help");
    }
    return EXIT_DONE;
}
