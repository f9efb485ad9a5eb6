# SPDX-License-Identifier: Apache-2.0
# Sphinx: settings of the site. build.py lays out the pages and passes the version.
import os

project = 'linkaged'
extensions = ['myst_parser']
html_theme = 'furo'
html_title = 'linkaged'
html_search_scorer = os.path.join(os.path.dirname(__file__), 'scorer.js')
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
html_show_search_summary = False  # it fetches pages, which a browser refuses for pages from disk
html_last_updated_fmt = None
myst_heading_anchors = 4          # the anchors of a forge: #the-model
myst_enable_extensions = ['deflist']
highlight_language = 'none'       # only blocks that name a language are coloured
smartquotes = False               # --option stays --option
