// SPDX-License-Identifier: Apache-2.0
// Order of what the search finds: the reference first, then pages to read, then what developers read. The numbers of a
// match are Sphinx's own.
var Scorer = {
    score: function (result) {
        var page = result[0];
        if (/^doc\/reference\//.test(page))
            return result[4] + 10;
        if (/^(doc|man|headers|config)\//.test(page))
            return result[4] + 3;
        if (/^(CHANGELOG|tests\/|laboratory\/|core\/)/.test(page))
            return result[4] - 3;
        return result[4];
    },
    objNameMatch: 11, objPartialMatch: 6, objPrio: {0: 15, 1: 5, 2: -5}, objPrioDefault: 0,
    title: 15, partialTitle: 7, term: 5, partialTerm: 2
};
