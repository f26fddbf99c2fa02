"""Compiled from html/_screen.html.j2 by `make templates`."""

from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'html/_screen.html.j2'

def root(context, missing=missing):
    resolve = context.resolve_or_missing
    undefined = environment.undefined
    concat = environment.concat
    cond_expr_undefined = Undefined
    if 0: yield None
    l_0_show_figure = l_0_show_link = l_0_show_name = l_0_show_figures = l_0_show_takers = l_0_show_gates = l_0_show_waterfalls = l_0_show_answer = l_0_show_verdict = l_0_show_move = l_0_show_cards = l_0_show_rankings = l_0_show_place = l_0_show_identity = l_0_show_measured = l_0_show_uncounted = l_0_show_screen = missing
    try:
        t_1 = environment.filters['length']
    except KeyError:
        @internalcode
        def t_1(*unused):
            raise TemplateRuntimeError("No filter named 'length' found.")
    try:
        t_2 = environment.filters['trim']
    except KeyError:
        @internalcode
        def t_2(*unused):
            raise TemplateRuntimeError("No filter named 'trim' found.")
    pass
    included_template = environment.get_template('html/_cells.html.j2', 'html/_screen.html.j2')._get_default_module(context)
    l_0_show_figure = getattr(included_template, 'show_figure', missing)
    if l_0_show_figure is missing:
        l_0_show_figure = undefined(f"the template {included_template.__name__!r} (imported on line 2 in 'html/_screen.html.j2') does not export the requested name 'show_figure'", name='show_figure')
    l_0_show_link = getattr(included_template, 'show_link', missing)
    if l_0_show_link is missing:
        l_0_show_link = undefined(f"the template {included_template.__name__!r} (imported on line 2 in 'html/_screen.html.j2') does not export the requested name 'show_link'", name='show_link')
    l_0_show_name = getattr(included_template, 'show_name', missing)
    if l_0_show_name is missing:
        l_0_show_name = undefined(f"the template {included_template.__name__!r} (imported on line 2 in 'html/_screen.html.j2') does not export the requested name 'show_name'", name='show_name')
    context.vars.update({'show_figure': l_0_show_figure, 'show_link': l_0_show_link, 'show_name': l_0_show_name})
    context.exported_vars.difference_update(('show_figure', 'show_link', 'show_name'))
    included_template = environment.get_template('html/_figures.html.j2', 'html/_screen.html.j2')._get_default_module(context)
    l_0_show_figures = getattr(included_template, 'show_figures', missing)
    if l_0_show_figures is missing:
        l_0_show_figures = undefined(f"the template {included_template.__name__!r} (imported on line 3 in 'html/_screen.html.j2') does not export the requested name 'show_figures'", name='show_figures')
    l_0_show_takers = getattr(included_template, 'show_takers', missing)
    if l_0_show_takers is missing:
        l_0_show_takers = undefined(f"the template {included_template.__name__!r} (imported on line 3 in 'html/_screen.html.j2') does not export the requested name 'show_takers'", name='show_takers')
    context.vars.update({'show_figures': l_0_show_figures, 'show_takers': l_0_show_takers})
    context.exported_vars.difference_update(('show_figures', 'show_takers'))
    included_template = environment.get_template('html/_gates.html.j2', 'html/_screen.html.j2')._get_default_module(context)
    l_0_show_gates = getattr(included_template, 'show_gates', missing)
    if l_0_show_gates is missing:
        l_0_show_gates = undefined(f"the template {included_template.__name__!r} (imported on line 4 in 'html/_screen.html.j2') does not export the requested name 'show_gates'", name='show_gates')
    context.vars['show_gates'] = l_0_show_gates
    context.exported_vars.discard('show_gates')
    included_template = environment.get_template('html/_waterfall.html.j2', 'html/_screen.html.j2')._get_default_module(context)
    l_0_show_waterfalls = getattr(included_template, 'show_waterfalls', missing)
    if l_0_show_waterfalls is missing:
        l_0_show_waterfalls = undefined(f"the template {included_template.__name__!r} (imported on line 5 in 'html/_screen.html.j2') does not export the requested name 'show_waterfalls'", name='show_waterfalls')
    context.vars['show_waterfalls'] = l_0_show_waterfalls
    context.exported_vars.discard('show_waterfalls')
    def macro(l_1_status, l_1_symbol, l_1_answer, l_1_reason, l_1_warnings, l_1_screen, l_1_heading):
        t_3 = []
        if l_1_status is missing:
            l_1_status = undefined("parameter 'status' was not provided", name='status')
        if l_1_symbol is missing:
            l_1_symbol = undefined("parameter 'symbol' was not provided", name='symbol')
        if l_1_answer is missing:
            l_1_answer = undefined("parameter 'answer' was not provided", name='answer')
        if l_1_reason is missing:
            l_1_reason = ''
        if l_1_warnings is missing:
            l_1_warnings = ()
        if l_1_screen is missing:
            l_1_screen = None
        if l_1_heading is missing:
            l_1_heading = 'h2'
        pass
        t_3.extend((
            '<div class="verdict ',
            escape(environment.getattr(l_1_status, 'tone')),
            '">\n<',
            escape(l_1_heading),
            ' class="headline ',
            escape(environment.getattr(l_1_status, 'tone')),
            '"><span aria-hidden="true">',
            escape(l_1_symbol),
            '</span> ',
            escape(l_1_answer),
            '</',
            escape(l_1_heading),
            '>\n',
        ))
        if l_1_reason:
            pass
            t_3.extend((
                '<p class="reason">',
                escape(l_1_reason),
                '</p>\n',
            ))
        for l_2_warning in l_1_warnings:
            _loop_vars = {}
            pass
            t_3.extend((
                '<p class="warned"><strong>',
                escape(l_2_warning),
                '</strong></p>\n',
            ))
        l_2_warning = missing
        if (l_1_screen and environment.getattr(l_1_screen, 'accept')):
            pass
            t_3.extend((
                '<p class="todo">Meant? <code class="command" data-copy>',
                escape(environment.getattr(l_1_screen, 'accept')),
                '</code></p>\n',
            ))
        if (l_1_screen and environment.getattr(l_1_screen, 'owners')):
            pass
            t_3.append(
                '<p class="todo">\n',
            )
            l_2_loop = missing
            for l_2_owner, l_2_loop in LoopContext(environment.getattr(l_1_screen, 'owners'), undefined):
                _loop_vars = {}
                pass
                if environment.getattr(l_2_owner, 'rules'):
                    pass
                    t_3.extend((
                        '<code>',
                        escape(environment.getattr(environment.getattr(l_2_owner, 'name'), 'text')),
                        '</code> owns ',
                    ))
                    l_3_loop = missing
                    for l_3_rule, l_3_loop in LoopContext(environment.getattr(l_2_owner, 'rules'), undefined):
                        _loop_vars = {}
                        pass
                        t_3.append(
                            escape(context.call((undefined(name='show_name') if l_0_show_name is missing else l_0_show_name), l_3_rule, _loop_vars=_loop_vars)),
                        )
                        if (not environment.getattr(l_3_loop, 'last')):
                            pass
                            t_3.append(
                                ', ',
                            )
                    l_3_loop = l_3_rule = missing
                else:
                    pass
                    t_3.extend((
                        'Gates are owned by <code>',
                        escape(environment.getattr(environment.getattr(l_2_owner, 'name'), 'text')),
                        '</code>',
                    ))
                if (not environment.getattr(l_2_loop, 'last')):
                    pass
                    t_3.append(
                        '; ',
                    )
                else:
                    pass
                    t_3.append(
                        '.',
                    )
                t_3.append(
                    '\n',
                )
            l_2_loop = l_2_owner = missing
            t_3.append(
                '</p>\n',
            )
        t_3.append(
            '</div>\n',
        )
        return concat(t_3)
    context.exported_vars.add('show_answer')
    context.vars['show_answer'] = l_0_show_answer = Macro(environment, macro, 'show_answer', ('status', 'symbol', 'answer', 'reason', 'warnings', 'screen', 'heading'), False, False, False, context.eval_ctx.autoescape)
    def macro(l_1_screen, l_1_heading):
        t_4 = []
        if l_1_screen is missing:
            l_1_screen = undefined("parameter 'screen' was not provided", name='screen')
        if l_1_heading is missing:
            l_1_heading = 'h2'
        pass
        t_4.extend((
            escape(context.call((undefined(name='show_answer') if l_0_show_answer is missing else l_0_show_answer), environment.getattr(l_1_screen, 'status'), environment.getattr(l_1_screen, 'symbol'), environment.getattr(l_1_screen, 'verdict'), environment.getattr(l_1_screen, 'reason'), environment.getattr(l_1_screen, 'warnings'), l_1_screen, l_1_heading)),
            '\n',
        ))
        return concat(t_4)
    context.exported_vars.add('show_verdict')
    context.vars['show_verdict'] = l_0_show_verdict = Macro(environment, macro, 'show_verdict', ('screen', 'heading'), False, False, False, context.eval_ctx.autoescape)
    def macro(l_1_card):
        t_5 = []
        if l_1_card is missing:
            l_1_card = undefined("parameter 'card' was not provided", name='card')
        pass
        if ((environment.getattr(l_1_card, 'delta') and (environment.getattr(environment.getattr(l_1_card, 'delta'), 'key') == '0')) or ((not environment.getattr(l_1_card, 'delta')) and (environment.getattr(environment.getattr(l_1_card, 'base'), 'text') == environment.getattr(environment.getattr(l_1_card, 'head'), 'text')))):
            pass
            t_5.append(
                'unchanged',
            )
        elif (not environment.getattr(l_1_card, 'delta')):
            pass
            t_5.extend((
                'from ',
                escape(context.call((undefined(name='show_figure') if l_0_show_figure is missing else l_0_show_figure), environment.getattr(l_1_card, 'base'))),
            ))
        elif (not environment.getattr(environment.getattr(l_1_card, 'delta'), 'key')):
            pass
            t_5.extend((
                escape(context.call((undefined(name='show_figure') if l_0_show_figure is missing else l_0_show_figure), environment.getattr(l_1_card, 'percent'))),
                ', from ',
                escape(context.call((undefined(name='show_figure') if l_0_show_figure is missing else l_0_show_figure), environment.getattr(l_1_card, 'base'))),
            ))
        else:
            pass
            t_5.extend((
                escape(context.call((undefined(name='show_figure') if l_0_show_figure is missing else l_0_show_figure), environment.getattr(l_1_card, 'delta'))),
                ' (',
                escape(context.call((undefined(name='show_figure') if l_0_show_figure is missing else l_0_show_figure), environment.getattr(l_1_card, 'percent'))),
                ') from ',
                escape(context.call((undefined(name='show_figure') if l_0_show_figure is missing else l_0_show_figure), environment.getattr(l_1_card, 'base'))),
            ))
        return concat(t_5)
    context.exported_vars.add('show_move')
    context.vars['show_move'] = l_0_show_move = Macro(environment, macro, 'show_move', ('card',), False, False, False, context.eval_ctx.autoescape)
    def macro(l_1_cards):
        t_6 = []
        if l_1_cards is missing:
            l_1_cards = undefined("parameter 'cards' was not provided", name='cards')
        pass
        t_6.append(
            '<dl class="cards">\n',
        )
        for l_2_card in l_1_cards:
            _loop_vars = {}
            pass
            t_6.extend((
                '<div class="card">\n<dt>',
                escape(environment.getattr(l_2_card, 'label')),
                '</dt>\n<dd class="figure">',
                escape(context.call((undefined(name='show_figure') if l_0_show_figure is missing else l_0_show_figure), environment.getattr(l_2_card, 'head'), _loop_vars=_loop_vars)),
                '</dd>\n',
            ))
            if environment.getattr(environment.getattr(l_2_card, 'head'), 'exact'):
                pass
                t_6.extend((
                    '<dd class="unseen">exactly ',
                    escape(environment.getattr(environment.getattr(l_2_card, 'head'), 'exact')),
                    '</dd>\n',
                ))
            if (environment.getattr(l_2_card, 'base') and ((environment.getattr(environment.getattr(l_2_card, 'base'), 'text'), environment.getattr(environment.getattr(l_2_card, 'head'), 'text')) != ('unknown', 'unknown'))):
                pass
                t_6.extend((
                    '<dd>',
                    escape(context.call((undefined(name='show_move') if l_0_show_move is missing else l_0_show_move), l_2_card, _loop_vars=_loop_vars)),
                    '</dd>\n',
                ))
            if environment.getattr(l_2_card, 'note'):
                pass
                t_6.extend((
                    '<dd class="note">',
                    escape(environment.getattr(l_2_card, 'note')),
                    '</dd>\n',
                ))
            t_6.append(
                '</div>\n',
            )
        l_2_card = missing
        t_6.append(
            '</dl>\n',
        )
        return concat(t_6)
    context.exported_vars.add('show_cards')
    context.vars['show_cards'] = l_0_show_cards = Macro(environment, macro, 'show_cards', ('cards',), False, False, False, context.eval_ctx.autoescape)
    def macro(l_1_rankings, l_1_heading, l_1_page):
        t_7 = []
        if l_1_rankings is missing:
            l_1_rankings = undefined("parameter 'rankings' was not provided", name='rankings')
        if l_1_heading is missing:
            l_1_heading = 'h2'
        if l_1_page is missing:
            l_1_page = ''
        pass
        l_2_loop = missing
        for l_2_ranking, l_2_loop in LoopContext(l_1_rankings, undefined):
            _loop_vars = {}
            pass
            t_7.extend((
                '<section>\n<',
                escape(l_1_heading),
                '>',
                escape(environment.getattr(l_2_ranking, 'title')),
                '</',
                escape(l_1_heading),
                '>\n<ol class="ranking">\n',
            ))
            l_3_loop = missing
            for l_3_row, l_3_loop in LoopContext(environment.getattr(l_2_ranking, 'rows'), undefined):
                _loop_vars = {}
                pass
                t_7.extend((
                    '<li><a href="',
                    escape(l_1_page),
                    escape(environment.getattr(l_3_row, 'link')),
                    '">',
                    escape(context.call((undefined(name='show_name') if l_0_show_name is missing else l_0_show_name), environment.getattr(l_3_row, 'name'), _loop_vars=_loop_vars)),
                    '</a>',
                ))
                if environment.getattr(l_3_row, 'status'):
                    pass
                    t_7.extend((
                        ' <span class="',
                        escape(environment.getattr(l_3_row, 'status')),
                        '">',
                        escape(environment.getattr(l_3_row, 'status')),
                        '</span>',
                    ))
                t_7.append(
                    '\n',
                )
                l_4_loop = missing
                for l_4_share, l_4_loop in LoopContext(environment.getattr(l_3_row, 'shares'), undefined):
                    _loop_vars = {}
                    pass
                    t_7.extend((
                        '<span class="share ',
                        escape(environment.getattr(l_4_share, 'stem')),
                        '">',
                        escape(environment.getattr(l_4_share, 'label')),
                        ' ',
                        escape(context.call((undefined(name='show_figure') if l_0_show_figure is missing else l_0_show_figure), environment.getattr(l_4_share, 'amount'), _loop_vars=_loop_vars)),
                    ))
                    if environment.getattr(l_4_share, 'share'):
                        pass
                        t_7.extend((
                            ' (',
                            escape(environment.getattr(l_4_share, 'share')),
                            ')',
                        ))
                    if (not environment.getattr(l_4_loop, 'last')):
                        pass
                        t_7.append(
                            '<span class="comma">,</span>',
                        )
                    t_7.append(
                        '</span>\n',
                    )
                l_4_loop = l_4_share = missing
                t_7.append(
                    '</li>\n',
                )
            l_3_loop = l_3_row = missing
            t_7.extend((
                '</ol>\n<p class="note">',
                escape(environment.getattr(l_2_ranking, 'note')),
                '</p>\n</section>\n',
            ))
        l_2_loop = l_2_ranking = missing
        return concat(t_7)
    context.exported_vars.add('show_rankings')
    context.vars['show_rankings'] = l_0_show_rankings = Macro(environment, macro, 'show_rankings', ('rankings', 'heading', 'page'), False, False, False, context.eval_ctx.autoescape)
    def macro(l_1_side, l_1_has_commits):
        t_8 = []
        if l_1_side is missing:
            l_1_side = undefined("parameter 'side' was not provided", name='side')
        if l_1_has_commits is missing:
            l_1_has_commits = undefined("parameter 'has_commits' was not provided", name='has_commits')
        pass
        if environment.getattr(l_1_side, 'branch'):
            pass
            t_8.append(
                escape(context.call((undefined(name='show_name') if l_0_show_name is missing else l_0_show_name), environment.getattr(l_1_side, 'branch'))),
            )
        if l_1_has_commits:
            pass
            if (not environment.getattr(l_1_side, 'branch')):
                pass
                t_8.append(
                    'commit ',
                )
            elif environment.getattr(environment.getattr(l_1_side, 'commit'), 'is_name'):
                pass
                t_8.append(
                    ' at ',
                )
            else:
                pass
                t_8.append(
                    ', commit ',
                )
            t_8.append(
                escape(context.call((undefined(name='show_link') if l_0_show_link is missing else l_0_show_link), environment.getattr(l_1_side, 'commit'), environment.getattr(l_1_side, 'commit_url'))),
            )
        return concat(t_8)
    context.exported_vars.add('show_place')
    context.vars['show_place'] = l_0_show_place = Macro(environment, macro, 'show_place', ('side', 'has_commits'), False, False, False, context.eval_ctx.autoescape)
    def macro(l_1_identity, l_1_is_alone):
        t_9 = []
        l_1_head = l_1_base = missing
        if l_1_identity is missing:
            l_1_identity = undefined("parameter 'identity' was not provided", name='identity')
        if l_1_is_alone is missing:
            l_1_is_alone = True
        pass
        l_1_head = t_2(context.call((undefined(name='show_place') if l_0_show_place is missing else l_0_show_place), environment.getattr(l_1_identity, 'head'), environment.getattr(l_1_identity, 'has_commits')))
        l_1_base = (t_2(context.call((undefined(name='show_place') if l_0_show_place is missing else l_0_show_place), environment.getattr(l_1_identity, 'base'), environment.getattr(l_1_identity, 'has_commits'))) if environment.getattr(l_1_identity, 'base') else '')
        t_9.append(
            '<p class="sides">\n',
        )
        if (undefined(name='head') if l_1_head is missing else l_1_head):
            pass
            t_9.extend((
                '<span>',
                escape((undefined(name='head') if l_1_head is missing else l_1_head)),
                '</span>\n',
            ))
        if (environment.getattr(l_1_identity, 'base') and (environment.getattr(l_1_identity, 'base_label') or (undefined(name='base') if l_1_base is missing else l_1_base))):
            pass
            t_9.append(
                'against <span>',
            )
            if environment.getattr(l_1_identity, 'base_label'):
                pass
                t_9.append(
                    escape(context.call((undefined(name='show_name') if l_0_show_name is missing else l_0_show_name), environment.getattr(l_1_identity, 'base_label'))),
                )
                if (undefined(name='base') if l_1_base is missing else l_1_base):
                    pass
                    t_9.append(
                        ', ',
                    )
            t_9.append(
                escape((undefined(name='base') if l_1_base is missing else l_1_base)),
            )
            if environment.getattr(environment.getattr(l_1_identity, 'base'), 'distance'):
                pass
                t_9.extend((
                    ' (',
                    escape(environment.getattr(environment.getattr(environment.getattr(l_1_identity, 'base'), 'distance'), 'text')),
                    ')',
                ))
            t_9.append(
                '</span>\n',
            )
        if (l_1_is_alone and environment.getattr(l_1_identity, 'report_url')):
            pass
            t_9.extend((
                '&middot; <a href="',
                escape(environment.getattr(l_1_identity, 'report_url')),
                '" rel="noreferrer">full report</a>\n',
            ))
        if (l_1_is_alone and environment.getattr(l_1_identity, 'index')):
            pass
            t_9.extend((
                '&middot; <a href="',
                escape(environment.getattr(l_1_identity, 'index')),
                '">all models</a>\n',
            ))
        t_9.append(
            '</p>\n',
        )
        return concat(t_9)
    context.exported_vars.add('show_identity')
    context.vars['show_identity'] = l_0_show_identity = Macro(environment, macro, 'show_identity', ('identity', 'is_alone'), False, False, False, context.eval_ctx.autoescape)
    def macro(l_1_screen):
        t_10 = []
        if l_1_screen is missing:
            l_1_screen = undefined("parameter 'screen' was not provided", name='screen')
        pass
        t_10.append(
            '<dl class="facts">\n',
        )
        l_2_loop = missing
        for l_2_side, l_2_loop in LoopContext(environment.getattr(l_1_screen, 'sides'), undefined):
            _loop_vars = {}
            pass
            t_10.append(
                '<div>\n<dt>Input files',
            )
            if (t_1(environment.getattr(l_1_screen, 'sides')) > 1):
                pass
                t_10.extend((
                    ' of ',
                    escape(environment.getattr(l_2_side, 'word')),
                ))
            t_10.append(
                '</dt>\n<dd>',
            )
            l_3_loop = missing
            for (l_3_name, l_3_size), l_3_loop in LoopContext(environment.getattr(l_2_side, 'files'), undefined):
                _loop_vars = {}
                pass
                t_10.extend((
                    escape(context.call((undefined(name='show_name') if l_0_show_name is missing else l_0_show_name), l_3_name, _loop_vars=_loop_vars)),
                    ' ',
                    escape(context.call((undefined(name='show_figure') if l_0_show_figure is missing else l_0_show_figure), l_3_size, _loop_vars=_loop_vars)),
                ))
                if (not environment.getattr(l_3_loop, 'last')):
                    pass
                    t_10.append(
                        ', ',
                    )
            l_3_loop = l_3_name = l_3_size = missing
            if environment.getattr(l_2_side, 'more_files'):
                pass
                t_10.extend((
                    ' and ',
                    escape(environment.getattr(l_2_side, 'more_files')),
                    ' more',
                ))
            if environment.getattr(l_2_side, 'files'):
                pass
                t_10.extend((
                    '; fingerprint of all ',
                    escape(context.call((undefined(name='show_name') if l_0_show_name is missing else l_0_show_name), environment.getattr(l_2_side, 'digest'), _loop_vars=_loop_vars)),
                ))
            t_10.append(
                '</dd>\n</div>\n',
            )
        l_2_loop = l_2_side = missing
        t_10.append(
            '<div>\n<dt>Options that differ from the defaults</dt>\n<dd>',
        )
        l_2_loop = missing
        t_11 = 1
        for l_2_option, l_2_loop in LoopContext(environment.getattr(l_1_screen, 'options'), undefined):
            _loop_vars = {}
            pass
            t_10.append(
                escape(context.call((undefined(name='show_name') if l_0_show_name is missing else l_0_show_name), l_2_option, _loop_vars=_loop_vars)),
            )
            if (not environment.getattr(l_2_loop, 'last')):
                pass
                t_10.append(
                    ' ',
                )
            t_11 = 0
        l_2_loop = l_2_option = missing
        if t_11:
            pass
            t_10.append(
                'none',
            )
        t_10.extend((
            '</dd>\n</div>\n<div>\n<dt>Written</dt>\n<dd>',
            escape(environment.getattr(environment.getattr(l_1_screen, 'created'), 'text')),
            '</dd>\n</div>\n</dl>\n',
        ))
        return concat(t_10)
    context.exported_vars.add('show_measured')
    context.vars['show_measured'] = l_0_show_measured = Macro(environment, macro, 'show_measured', ('screen',), False, False, False, context.eval_ctx.autoescape)
    def macro(l_1_uncounted, l_1_page):
        t_12 = []
        if l_1_uncounted is missing:
            l_1_uncounted = undefined("parameter 'uncounted' was not provided", name='uncounted')
        if l_1_page is missing:
            l_1_page = ''
        pass
        l_2_loop = missing
        for l_2_found, l_2_loop in LoopContext(l_1_uncounted, undefined):
            _loop_vars = {}
            pass
            t_12.extend((
                '<p class="inconclusive"><span aria-hidden="true">?</span> ',
                escape(environment.getattr(l_2_found, 'words')),
                ': ',
            ))
            l_3_loop = missing
            for (l_3_name, l_3_link, l_3_op), l_3_loop in LoopContext(environment.getattr(l_2_found, 'nodes'), undefined):
                _loop_vars = {}
                pass
                t_12.extend((
                    '<a href="',
                    escape(l_1_page),
                    escape(l_3_link),
                    '">',
                    escape(context.call((undefined(name='show_name') if l_0_show_name is missing else l_0_show_name), l_3_name, _loop_vars=_loop_vars)),
                    '</a> (',
                    escape(context.call((undefined(name='show_name') if l_0_show_name is missing else l_0_show_name), l_3_op, _loop_vars=_loop_vars)),
                    ')',
                ))
                if ((not environment.getattr(l_3_loop, 'last')) or environment.getattr(l_2_found, 'more')):
                    pass
                    t_12.append(
                        ', ',
                    )
            l_3_loop = l_3_name = l_3_link = l_3_op = missing
            if environment.getattr(l_2_found, 'more'):
                pass
                t_12.extend((
                    escape(context.call(environment.getattr('{:,}', 'format'), environment.getattr(l_2_found, 'more'), _loop_vars=_loop_vars)),
                    ' more',
                ))
            t_12.append(
                '.</p>\n',
            )
        l_2_loop = l_2_found = missing
        return concat(t_12)
    context.exported_vars.add('show_uncounted')
    context.vars['show_uncounted'] = l_0_show_uncounted = Macro(environment, macro, 'show_uncounted', ('uncounted', 'page'), False, False, False, context.eval_ctx.autoescape)
    def macro(l_1_screen):
        t_13 = []
        if l_1_screen is missing:
            l_1_screen = undefined("parameter 'screen' was not provided", name='screen')
        pass
        t_13.extend((
            '<p class="product">tfprof report</p>\n<div class="identity">\n<h1>',
            escape(environment.getattr(environment.getattr(l_1_screen, 'title'), 'text')),
            '</h1>\n',
            escape(context.call((undefined(name='show_identity') if l_0_show_identity is missing else l_0_show_identity), environment.getattr(l_1_screen, 'identity'))),
            '\n</div>\n',
            escape(context.call((undefined(name='show_verdict') if l_0_show_verdict is missing else l_0_show_verdict), l_1_screen)),
            '\n',
        ))
        if (not environment.getattr(l_1_screen, 'is_compared')):
            pass
            t_13.extend((
                '<h2 class="unseen">Figures</h2>\n',
                escape(context.call((undefined(name='show_figures') if l_0_show_figures is missing else l_0_show_figures), environment.getattr(l_1_screen, 'figures'))),
                '\n',
            ))
        t_13.extend((
            escape(context.call((undefined(name='show_gates') if l_0_show_gates is missing else l_0_show_gates), environment.getattr(l_1_screen, 'gates'), 'limits')),
            '\n',
            escape(context.call((undefined(name='show_uncounted') if l_0_show_uncounted is missing else l_0_show_uncounted), environment.getattr(l_1_screen, 'uncounted'))),
            '\n',
            escape(context.call((undefined(name='show_waterfalls') if l_0_show_waterfalls is missing else l_0_show_waterfalls), environment.getattr(l_1_screen, 'waterfalls'))),
            '\n',
            escape(context.call((undefined(name='show_takers') if l_0_show_takers is missing else l_0_show_takers), environment.getattr(l_1_screen, 'takers'))),
            '\n',
        ))
        if environment.getattr(l_1_screen, 'folds_rankings'):
            pass
            for l_2_ranking in environment.getattr(l_1_screen, 'rankings'):
                _loop_vars = {}
                pass
                t_13.extend((
                    '<details>\n<summary>',
                    escape(environment.getattr(l_2_ranking, 'title')),
                    ', by scope</summary>\n',
                    escape(context.call((undefined(name='show_rankings') if l_0_show_rankings is missing else l_0_show_rankings), [l_2_ranking], page='', heading='h3', _loop_vars=_loop_vars)),
                    '\n</details>\n',
                ))
            l_2_ranking = missing
        else:
            pass
            t_13.extend((
                escape(context.call((undefined(name='show_rankings') if l_0_show_rankings is missing else l_0_show_rankings), environment.getattr(l_1_screen, 'rankings'))),
                '\n',
            ))
        t_13.append(
            '<details>\n<summary>All figures',
        )
        if environment.getattr(l_1_screen, 'is_compared'):
            pass
            t_13.append(
                ' of both sides',
            )
        t_13.extend((
            '</summary>\n',
            escape(context.call((undefined(name='show_cards') if l_0_show_cards is missing else l_0_show_cards), environment.getattr(l_1_screen, 'cards'))),
            '\n</details>\n',
        ))
        if environment.getattr(l_1_screen, 'detail'):
            pass
            t_13.extend((
                '<details>\n<summary>The verdict in full, with exact figures</summary>\n<p class="note">',
                escape(environment.getattr(l_1_screen, 'detail')),
                '</p>\n</details>\n',
            ))
        t_13.extend((
            '<details>\n<summary>What was measured: input files and options</summary>\n',
            escape(context.call((undefined(name='show_measured') if l_0_show_measured is missing else l_0_show_measured), l_1_screen)),
            '\n</details>\n',
        ))
        return concat(t_13)
    context.exported_vars.add('show_screen')
    context.vars['show_screen'] = l_0_show_screen = Macro(environment, macro, 'show_screen', ('screen',), False, False, False, context.eval_ctx.autoescape)

blocks = {}
debug_info = '2=24&3=36&4=45&5=51&6=57&7=76&8=78&9=89&10=93&12=96&13=101&15=105&16=109&18=112&20=118&21=121&22=145&29=171&30=179&32=185&33=190&35=195&36=199&37=201&38=204&40=211&43=220&45=228&47=233&48=235&49=238&50=242&52=245&53=249&55=252&56=256&63=269&64=279&66=284&68=292&69=297&71=316&72=321&77=349&81=356&82=363&83=368&86=391&87=399&88=400&90=404&91=408&93=411&94=416&96=439&97=443&99=446&100=450&104=459&106=468&108=474&109=484&114=520&118=540&123=546&124=554&125=559&128=595&131=602&132=604&134=606&135=609&137=613&139=617&140=619&141=621&142=623&143=626&144=628&146=633&147=635&151=642&154=648&155=655&157=658&160=662&165=667'
