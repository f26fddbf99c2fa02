"""Compiled from html/_figures.html.j2 by `make templates`."""

from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'html/_figures.html.j2'

def root(context, missing=missing):
    resolve = context.resolve_or_missing
    undefined = environment.undefined
    concat = environment.concat
    cond_expr_undefined = Undefined
    if 0: yield None
    l_0_show_figure = l_0_show_name = l_0_show_parts = l_0_show_figures = l_0_show_taker_name = l_0_show_taker = l_0_show_takers = missing
    try:
        t_1 = environment.filters['layers_picture']
    except KeyError:
        @internalcode
        def t_1(*unused):
            raise TemplateRuntimeError("No filter named 'layers_picture' found.")
    try:
        t_2 = environment.filters['length']
    except KeyError:
        @internalcode
        def t_2(*unused):
            raise TemplateRuntimeError("No filter named 'length' found.")
    try:
        t_3 = environment.filters['part_key']
    except KeyError:
        @internalcode
        def t_3(*unused):
            raise TemplateRuntimeError("No filter named 'part_key' found.")
    try:
        t_4 = environment.filters['parts_bar']
    except KeyError:
        @internalcode
        def t_4(*unused):
            raise TemplateRuntimeError("No filter named 'parts_bar' found.")
    try:
        t_5 = environment.filters['share_bar']
    except KeyError:
        @internalcode
        def t_5(*unused):
            raise TemplateRuntimeError("No filter named 'share_bar' found.")
    try:
        t_6 = environment.filters['sparkline']
    except KeyError:
        @internalcode
        def t_6(*unused):
            raise TemplateRuntimeError("No filter named 'sparkline' found.")
    pass
    included_template = environment.get_template('html/_cells.html.j2', 'html/_figures.html.j2')._get_default_module(context)
    l_0_show_figure = getattr(included_template, 'show_figure', missing)
    if l_0_show_figure is missing:
        l_0_show_figure = undefined(f"the template {included_template.__name__!r} (imported on line 2 in 'html/_figures.html.j2') does not export the requested name 'show_figure'", name='show_figure')
    l_0_show_name = getattr(included_template, 'show_name', missing)
    if l_0_show_name is missing:
        l_0_show_name = undefined(f"the template {included_template.__name__!r} (imported on line 2 in 'html/_figures.html.j2') does not export the requested name 'show_name'", name='show_name')
    context.vars.update({'show_figure': l_0_show_figure, 'show_name': l_0_show_name})
    context.exported_vars.difference_update(('show_figure', 'show_name'))
    def macro(l_1_figure):
        t_7 = []
        if l_1_figure is missing:
            l_1_figure = undefined("parameter 'figure' was not provided", name='figure')
        pass
        t_7.extend((
            '<dd class="made">',
            escape(t_4(environment.getattr(l_1_figure, 'parts'))),
            '</dd>\n<dd>',
        ))
        if environment.getattr(l_1_figure, 'whole'):
            pass
            t_7.extend((
                escape(environment.getattr(l_1_figure, 'whole')),
                ': ',
            ))
        l_2_loop = missing
        for l_2_part, l_2_loop in LoopContext(environment.getattr(l_1_figure, 'parts'), undefined):
            _loop_vars = {}
            pass
            t_7.extend((
                '<span class="piece">',
                escape(t_3(l_2_part, environment.getattr(l_2_loop, 'index0'))),
                ' ',
                escape(context.call((undefined(name='show_name') if l_0_show_name is missing else l_0_show_name), environment.getattr(l_2_part, 'name'), _loop_vars=_loop_vars)),
                ' ',
                escape(environment.getattr(l_2_part, 'words')),
            ))
            if (not environment.getattr(l_2_loop, 'last')):
                pass
                t_7.append(
                    '<span class="comma">,</span> ',
                )
            t_7.append(
                '</span>',
            )
        l_2_loop = l_2_part = missing
        t_7.append(
            '</dd>\n',
        )
        return concat(t_7)
    context.exported_vars.add('show_parts')
    context.vars['show_parts'] = l_0_show_parts = Macro(environment, macro, 'show_parts', ('figure',), False, False, False, context.eval_ctx.autoescape)
    def macro(l_1_figures):
        t_8 = []
        if l_1_figures is missing:
            l_1_figures = undefined("parameter 'figures' was not provided", name='figures')
        pass
        t_8.append(
            '<dl class="cards figures">\n',
        )
        for l_2_figure in l_1_figures:
            _loop_vars = {}
            pass
            t_8.extend((
                '<div class="card">\n<dt>',
                escape(environment.getattr(l_2_figure, 'label')),
                '</dt>\n<dd class="figure">',
                escape(context.call((undefined(name='show_figure') if l_0_show_figure is missing else l_0_show_figure), environment.getattr(l_2_figure, 'amount'), _loop_vars=_loop_vars)),
            ))
            if environment.getattr(l_2_figure, 'what'):
                pass
                t_8.extend((
                    ' <small>',
                    escape(environment.getattr(l_2_figure, 'what')),
                    '</small>',
                ))
            t_8.append(
                '</dd>\n',
            )
            if environment.getattr(environment.getattr(l_2_figure, 'amount'), 'exact'):
                pass
                t_8.extend((
                    '<dd class="unseen">exactly ',
                    escape(environment.getattr(environment.getattr(l_2_figure, 'amount'), 'exact')),
                    '</dd>\n',
                ))
            if environment.getattr(l_2_figure, 'trend'):
                pass
                t_8.extend((
                    '<dd>',
                    escape(t_6(environment.getattr(l_2_figure, 'trend'))),
                    '</dd>\n',
                ))
            if environment.getattr(l_2_figure, 'parts'):
                pass
                t_8.append(
                    escape(context.call((undefined(name='show_parts') if l_0_show_parts is missing else l_0_show_parts), l_2_figure, _loop_vars=_loop_vars)),
                )
            for l_3_note in environment.getattr(l_2_figure, 'notes'):
                _loop_vars = {}
                pass
                t_8.extend((
                    '<dd class="note">',
                    escape(l_3_note),
                    '</dd>\n',
                ))
            l_3_note = missing
            t_8.append(
                '</div>\n',
            )
        l_2_figure = missing
        t_8.append(
            '</dl>\n',
        )
        return concat(t_8)
    context.exported_vars.add('show_figures')
    context.vars['show_figures'] = l_0_show_figures = Macro(environment, macro, 'show_figures', ('figures',), False, False, False, context.eval_ctx.autoescape)
    def macro(l_1_cell, l_1_link, l_1_opens):
        t_9 = []
        if l_1_cell is missing:
            l_1_cell = undefined("parameter 'cell' was not provided", name='cell')
        if l_1_link is missing:
            l_1_link = undefined("parameter 'link' was not provided", name='link')
        if l_1_opens is missing:
            l_1_opens = undefined("parameter 'opens' was not provided", name='opens')
        pass
        if l_1_opens:
            pass
            t_9.extend((
                '<details><summary>',
                escape(context.call((undefined(name='show_name') if l_0_show_name is missing else l_0_show_name), l_1_cell)),
                '</summary></details>',
            ))
        elif l_1_link:
            pass
            t_9.extend((
                '<a href="',
                escape(l_1_link),
                '">',
                escape(context.call((undefined(name='show_name') if l_0_show_name is missing else l_0_show_name), l_1_cell)),
                '</a>',
            ))
        else:
            pass
            t_9.append(
                escape(context.call((undefined(name='show_name') if l_0_show_name is missing else l_0_show_name), l_1_cell)),
            )
        return concat(t_9)
    context.exported_vars.add('show_taker_name')
    context.vars['show_taker_name'] = l_0_show_taker_name = Macro(environment, macro, 'show_taker_name', ('cell', 'link', 'opens'), False, False, False, context.eval_ctx.autoescape)
    def macro(l_1_row, l_1_columns, l_1_links, l_1_opens, l_1_class):
        t_10 = []
        if l_1_row is missing:
            l_1_row = undefined("parameter 'row' was not provided", name='row')
        if l_1_columns is missing:
            l_1_columns = undefined("parameter 'columns' was not provided", name='columns')
        if l_1_links is missing:
            l_1_links = undefined("parameter 'links' was not provided", name='links')
        if l_1_opens is missing:
            l_1_opens = False
        if l_1_class is missing:
            l_1_class = ''
        pass
        t_10.append(
            '<tr role="row"',
        )
        if l_1_class:
            pass
            t_10.extend((
                ' class="',
                escape(l_1_class),
                '"',
            ))
        t_10.append(
            '>\n',
        )
        l_2_loop = missing
        for l_2_cell, l_2_loop in LoopContext(l_1_row, undefined):
            _loop_vars = {}
            pass
            if environment.getattr(l_2_loop, 'first'):
                pass
                t_10.extend((
                    '<th role="rowheader" scope="row">',
                    escape(context.call((undefined(name='show_taker_name') if l_0_show_taker_name is missing else l_0_show_taker_name), l_2_cell, context.call(environment.getattr(l_1_links, 'get'), environment.getattr(l_2_cell, 'text'), _loop_vars=_loop_vars), l_1_opens, _loop_vars=_loop_vars)),
                    '</th>\n',
                ))
            elif (environment.getattr(l_2_cell, 'text') and context.call(environment.getattr(environment.getattr(environment.getitem(l_1_columns, environment.getattr(l_2_loop, 'index0')), 'label'), 'startswith'), 'Share', _loop_vars=_loop_vars)):
                pass
                t_10.extend((
                    '<td role="cell" class="share-bar">',
                    escape(t_5(environment.getattr(l_2_cell, 'key'))),
                    '<span>',
                    escape(environment.getattr(l_2_cell, 'text')),
                    '</span></td>\n',
                ))
            elif environment.getattr(l_2_cell, 'text'):
                pass
                t_10.extend((
                    '<td role="cell" class="',
                    escape(('n' if environment.getattr(environment.getitem(l_1_columns, environment.getattr(l_2_loop, 'index0')), 'is_number') else 'what')),
                ))
                if (environment.getattr(l_2_loop, 'index0') == 1):
                    pass
                    t_10.append(
                        ' first',
                    )
                t_10.extend((
                    '"><span class="label">',
                    escape(environment.getattr(environment.getitem(l_1_columns, environment.getattr(l_2_loop, 'index0')), 'label')),
                    ' </span>',
                    escape(context.call((undefined(name='show_name') if l_0_show_name is missing else l_0_show_name), l_2_cell, _loop_vars=_loop_vars)),
                    '</td>\n',
                ))
            else:
                pass
                t_10.append(
                    '<td role="cell"></td>\n',
                )
        l_2_loop = l_2_cell = missing
        t_10.append(
            '</tr>\n',
        )
        return concat(t_10)
    context.exported_vars.add('show_taker')
    context.vars['show_taker'] = l_0_show_taker = Macro(environment, macro, 'show_taker', ('row', 'columns', 'links', 'opens', 'class'), False, False, False, context.eval_ctx.autoescape)
    def macro(l_1_takers):
        t_11 = []
        if l_1_takers is missing:
            l_1_takers = undefined("parameter 'takers' was not provided", name='takers')
        pass
        if l_1_takers:
            pass
            t_11.append(
                '<section class="takers">\n<h2 id="takers">What takes it</h2>\n',
            )
            if (t_2(l_1_takers) > 1):
                pass
                t_11.append(
                    '<div class="figure-choice" role="radiogroup" aria-labelledby="takers">\n',
                )
                l_2_loop = missing
                for l_2_each, l_2_loop in LoopContext(l_1_takers, undefined):
                    _loop_vars = {}
                    pass
                    t_11.extend((
                        '<input type="radio" name="taken" id="take-',
                        escape(environment.getattr(l_2_each, 'stem')),
                        '" value="',
                        escape(environment.getattr(l_2_each, 'stem')),
                        '"',
                    ))
                    if environment.getattr(l_2_loop, 'first'):
                        pass
                        t_11.append(
                            ' checked',
                        )
                    t_11.extend((
                        '><label for="take-',
                        escape(environment.getattr(l_2_each, 'stem')),
                        '">',
                        escape(environment.getattr(l_2_each, 'choice')),
                        '</label>\n',
                    ))
                l_2_loop = l_2_each = missing
                t_11.append(
                    '</div>\n',
                )
            l_2_loop = missing
            for l_2_each, l_2_loop in LoopContext(l_1_takers, undefined):
                l_2_picture = missing
                _loop_vars = {}
                pass
                t_11.extend((
                    '<div class="taken ',
                    escape(environment.getattr(l_2_each, 'stem')),
                    '" data-stem="',
                    escape(environment.getattr(l_2_each, 'stem')),
                    '" data-label="',
                    escape(environment.getattr(l_2_each, 'label')),
                    '" data-unit="',
                    escape(environment.getattr(l_2_each, 'unit')),
                    '">\n',
                ))
                l_2_picture = t_1(l_2_each)
                _loop_vars['picture'] = l_2_picture
                if (undefined(name='picture') if l_2_picture is missing else l_2_picture):
                    pass
                    t_11.extend((
                        '<div class="drawing static" role="region" tabindex="0" aria-label="',
                        escape(environment.getattr((undefined(name='picture') if l_2_picture is missing else l_2_picture), 'title')),
                        '">',
                        escape(environment.getattr((undefined(name='picture') if l_2_picture is missing else l_2_picture), 'svg')),
                        '</div>\n',
                    ))
                t_11.extend((
                    '<table cellpadding="4" role="table" aria-labelledby="taken-',
                    escape(environment.getattr(l_2_each, 'stem')),
                    '">\n<caption id="taken-',
                    escape(environment.getattr(l_2_each, 'stem')),
                    '">',
                    escape(environment.getattr(environment.getattr(l_2_each, 'table'), 'caption')),
                    '</caption>\n<thead role="rowgroup">\n<tr role="row">\n',
                ))
                for l_3_column in environment.getattr(environment.getattr(l_2_each, 'table'), 'columns'):
                    _loop_vars = {}
                    pass
                    t_11.append(
                        '<th scope="col" role="columnheader"',
                    )
                    if (environment.getattr(l_3_column, 'is_number') and (not context.call(environment.getattr(environment.getattr(l_3_column, 'label'), 'startswith'), 'Share', _loop_vars=_loop_vars))):
                        pass
                        t_11.append(
                            ' class="n"',
                        )
                    t_11.extend((
                        '>',
                        escape(environment.getattr(l_3_column, 'label')),
                        '</th>\n',
                    ))
                l_3_column = missing
                t_11.append(
                    '</tr>\n</thead>\n',
                )
                l_3_loop = missing
                for l_3_row, l_3_loop in LoopContext(environment.getattr(environment.getattr(l_2_each, 'table'), 'rows'), undefined):
                    l_3_members = missing
                    _loop_vars = {}
                    pass
                    l_3_members = environment.getitem(environment.getattr(environment.getattr(l_2_each, 'table'), 'members'), environment.getattr(l_3_loop, 'index0'))
                    _loop_vars['members'] = l_3_members
                    t_11.extend((
                        '<tbody role="rowgroup" align="left">\n',
                        escape(context.call((undefined(name='show_taker') if l_0_show_taker is missing else l_0_show_taker), l_3_row, environment.getattr(environment.getattr(l_2_each, 'table'), 'columns'), environment.getattr(l_2_each, 'links'), opens=(undefined(name='members') if l_3_members is missing else l_3_members), _loop_vars=_loop_vars)),
                    ))
                    for l_4_member in (undefined(name='members') if l_3_members is missing else l_3_members):
                        _loop_vars = {}
                        pass
                        t_11.append(
                            escape(context.call((undefined(name='show_taker') if l_0_show_taker is missing else l_0_show_taker), l_4_member, environment.getattr(environment.getattr(l_2_each, 'table'), 'columns'), environment.getattr(l_2_each, 'links'), **{'class': 'member', '_loop_vars': _loop_vars, })),
                        )
                    l_4_member = missing
                    t_11.append(
                        '</tbody>\n',
                    )
                l_3_loop = l_3_row = l_3_members = missing
                t_11.append(
                    '</table>\n',
                )
                if (environment.getattr(l_2_each, 'note') or environment.getattr(environment.getattr(l_2_each, 'table'), 'left_out')):
                    pass
                    t_11.extend((
                        '<p class="note">',
                        escape(environment.getattr(l_2_each, 'note')),
                        ' ',
                    ))
                    if environment.getattr(environment.getattr(l_2_each, 'table'), 'left_out'):
                        pass
                        t_11.extend((
                            escape(environment.getattr(environment.getattr(l_2_each, 'table'), 'left_out')),
                            ' <a href="#layers">All layers</a>',
                        ))
                    t_11.append(
                        '</p>\n',
                    )
                t_11.append(
                    '</div>\n',
                )
            l_2_loop = l_2_each = l_2_picture = missing
            t_11.append(
                '</section>\n',
            )
        return concat(t_11)
    context.exported_vars.add('show_takers')
    context.vars['show_takers'] = l_0_show_takers = Macro(environment, macro, 'show_takers', ('takers',), False, False, False, context.eval_ctx.autoescape)

blocks = {}
debug_info = '2=48&3=57&4=64&5=67&7=100&9=108&11=113&12=115&13=127&14=131&16=134&17=138&19=141&20=144&22=146&23=151&29=165&30=174&32=198&33=214&34=225&35=228&36=232&37=235&38=239&39=244&40=248&47=274&48=279&51=284&53=290&54=295&58=317&59=323&60=332&61=334&62=338&64=345&65=347&68=352&69=358&73=373&74=377&76=381&77=383&78=387&83=397&84=401'
