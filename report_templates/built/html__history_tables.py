"""Compiled from html/_history_tables.html.j2 by `make templates`."""

from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'html/_history_tables.html.j2'

def root(context, missing=missing):
    resolve = context.resolve_or_missing
    undefined = environment.undefined
    concat = environment.concat
    cond_expr_undefined = Undefined
    if 0: yield None
    l_0_show_figure = l_0_show_link = l_0_show_name = l_0_show_index = l_0_show_nets = l_0_show_blocks = missing
    try:
        t_1 = environment.filters['length']
    except KeyError:
        @internalcode
        def t_1(*unused):
            raise TemplateRuntimeError("No filter named 'length' found.")
    pass
    included_template = environment.get_template('html/_cells.html.j2', 'html/_history_tables.html.j2')._get_default_module(context)
    l_0_show_figure = getattr(included_template, 'show_figure', missing)
    if l_0_show_figure is missing:
        l_0_show_figure = undefined(f"the template {included_template.__name__!r} (imported on line 3 in 'html/_history_tables.html.j2') does not export the requested name 'show_figure'", name='show_figure')
    l_0_show_link = getattr(included_template, 'show_link', missing)
    if l_0_show_link is missing:
        l_0_show_link = undefined(f"the template {included_template.__name__!r} (imported on line 3 in 'html/_history_tables.html.j2') does not export the requested name 'show_link'", name='show_link')
    l_0_show_name = getattr(included_template, 'show_name', missing)
    if l_0_show_name is missing:
        l_0_show_name = undefined(f"the template {included_template.__name__!r} (imported on line 3 in 'html/_history_tables.html.j2') does not export the requested name 'show_name'", name='show_name')
    context.vars.update({'show_figure': l_0_show_figure, 'show_link': l_0_show_link, 'show_name': l_0_show_name})
    context.exported_vars.difference_update(('show_figure', 'show_link', 'show_name'))
    def macro(l_1_index):
        t_2 = []
        if l_1_index is missing:
            l_1_index = undefined("parameter 'index' was not provided", name='index')
        pass
        t_2.extend((
            '<table class="blocks index" cellpadding="4" role="table" aria-labelledby="index">\n<caption id="index">',
            escape(context.call(environment.getattr('{:,}', 'format'), t_1(environment.getattr(l_1_index, 'rows')))),
            ' models, figures of their newest reports</caption>\n<thead role="rowgroup">\n<tr role="row">\n<th scope="col" role="columnheader" data-kind="text">Model</th>\n',
        ))
        for l_2_label in environment.getattr(l_1_index, 'labels'):
            _loop_vars = {}
            pass
            t_2.extend((
                '<th scope="col" role="columnheader" data-kind="number">',
                escape(l_2_label),
                '</th>\n',
            ))
        l_2_label = missing
        t_2.append(
            '</tr>\n</thead>\n<tbody role="rowgroup" align="left">\n',
        )
        l_2_loop = missing
        for l_2_row, l_2_loop in LoopContext(environment.getattr(l_1_index, 'rows'), undefined):
            _loop_vars = {}
            pass
            t_2.extend((
                '<tr role="row">\n<th role="rowheader" scope="row" title="',
                escape(environment.getattr(environment.getattr(l_2_row, 'name'), 'text')),
                '"><a class="name" href="#',
                escape(environment.getattr(l_2_row, 'anchor')),
                '">',
                escape(environment.getattr(environment.getattr(l_2_row, 'name'), 'text')),
                '</a>',
            ))
            if environment.getattr(l_2_row, 'outcome'):
                pass
                t_2.extend((
                    '<div class="',
                    escape((environment.getattr(environment.getattr(l_2_row, 'outcome'), 'tone') or 'note')),
                    '">',
                    escape(environment.getattr(environment.getattr(l_2_row, 'outcome'), 'text')),
                    '</div>',
                ))
            t_2.append(
                '</th>\n',
            )
            l_3_loop = missing
            for l_3_cell, l_3_loop in LoopContext(environment.getattr(l_2_row, 'cells'), undefined):
                _loop_vars = {}
                pass
                t_2.extend((
                    '<td role="cell" data-label="',
                    escape(environment.getitem(environment.getattr(l_1_index, 'labels'), environment.getattr(l_3_loop, 'index0'))),
                    '" data-key="',
                    escape(environment.getattr(environment.getattr(l_3_cell, 'now'), 'key')),
                    '"><b',
                ))
                if environment.getattr(environment.getattr(l_3_cell, 'now'), 'tone'):
                    pass
                    t_2.extend((
                        ' class="',
                        escape(environment.getattr(environment.getattr(l_3_cell, 'now'), 'tone')),
                        '"',
                    ))
                t_2.extend((
                    '>',
                    escape(environment.getattr(environment.getattr(l_3_cell, 'now'), 'text')),
                    '</b>\n',
                ))
                for l_4_note in environment.getattr(l_3_cell, 'notes'):
                    _loop_vars = {}
                    pass
                    t_2.append(
                        '<div',
                    )
                    if environment.getattr(l_4_note, 'tone'):
                        pass
                        t_2.extend((
                            ' class="',
                            escape(environment.getattr(l_4_note, 'tone')),
                            '"',
                        ))
                    t_2.extend((
                        '>',
                        escape(environment.getattr(l_4_note, 'text')),
                        '</div>\n',
                    ))
                l_4_note = missing
                t_2.append(
                    '</td>\n',
                )
            l_3_loop = l_3_cell = missing
            t_2.append(
                '</tr>\n',
            )
        l_2_loop = l_2_row = missing
        t_2.append(
            '</tbody>\n</table>\n',
        )
        return concat(t_2)
    context.exported_vars.add('show_index')
    context.vars['show_index'] = l_0_show_index = Macro(environment, macro, 'show_index', ('index',), False, False, False, context.eval_ctx.autoescape)
    def macro(l_1_nets, l_1_id):
        t_3 = []
        if l_1_nets is missing:
            l_1_nets = undefined("parameter 'nets' was not provided", name='nets')
        if l_1_id is missing:
            l_1_id = undefined("parameter 'id' was not provided", name='id')
        pass
        t_3.extend((
            '<table class="blocks nets" cellpadding="4" role="table" aria-labelledby="',
            escape(l_1_id),
            '">\n<caption id="',
            escape(l_1_id),
            '">What moved</caption>\n<thead role="rowgroup">\n<tr role="row">\n<th scope="col" role="columnheader">Over</th>\n',
        ))
        for l_2_label in environment.getattr(l_1_nets, 'labels'):
            _loop_vars = {}
            pass
            t_3.extend((
                '<th scope="col" role="columnheader">',
                escape(l_2_label),
                '</th>\n',
            ))
        l_2_label = missing
        t_3.append(
            '</tr>\n</thead>\n<tbody role="rowgroup" align="left">\n',
        )
        l_2_loop = missing
        for l_2_row, l_2_loop in LoopContext(environment.getattr(l_1_nets, 'rows'), undefined):
            _loop_vars = {}
            pass
            t_3.extend((
                '<tr role="row">\n<th role="rowheader" scope="row">',
                escape(environment.getattr(environment.getattr(l_2_row, 'words'), 'text')),
                '</th>\n',
            ))
            l_3_loop = missing
            for l_3_cell, l_3_loop in LoopContext(environment.getattr(l_2_row, 'cells'), undefined):
                _loop_vars = {}
                pass
                t_3.extend((
                    '<td role="cell" data-label="',
                    escape(environment.getitem(environment.getattr(l_1_nets, 'labels'), environment.getattr(l_3_loop, 'index0'))),
                    '">',
                    escape(context.call((undefined(name='show_figure') if l_0_show_figure is missing else l_0_show_figure), environment.getattr(l_3_cell, 'delta'), _loop_vars=_loop_vars)),
                    '\n',
                ))
                if environment.getattr(l_3_cell, 'largest'):
                    pass
                    t_3.append(
                        '<div class="note">',
                    )
                    if environment.getattr(l_3_cell, 'note'):
                        pass
                        t_3.extend((
                            escape(environment.getattr(l_3_cell, 'note')),
                            ': ',
                        ))
                    l_4_loop = missing
                    for l_4_step, l_4_loop in LoopContext(environment.getattr(l_3_cell, 'largest'), undefined):
                        _loop_vars = {}
                        pass
                        if (t_1(environment.getattr(l_3_cell, 'largest')) > 1):
                            pass
                            t_3.extend((
                                escape(environment.getattr(environment.getattr(l_4_step, 'delta'), 'text')),
                                ' ',
                            ))
                        t_3.extend((
                            'at ',
                            escape(context.call((undefined(name='show_link') if l_0_show_link is missing else l_0_show_link), environment.getattr(l_4_step, 'commit'), environment.getattr(l_4_step, 'url'), _loop_vars=_loop_vars)),
                        ))
                        if (not environment.getattr(l_4_loop, 'last')):
                            pass
                            t_3.append(
                                ', ',
                            )
                    l_4_loop = l_4_step = missing
                    t_3.append(
                        '</div>\n',
                    )
                t_3.append(
                    '</td>\n',
                )
            l_3_loop = l_3_cell = missing
            t_3.append(
                '</tr>\n',
            )
        l_2_loop = l_2_row = missing
        t_3.append(
            '</tbody>\n</table>\n',
        )
        return concat(t_3)
    context.exported_vars.add('show_nets')
    context.vars['show_nets'] = l_0_show_nets = Macro(environment, macro, 'show_nets', ('nets', 'id'), False, False, False, context.eval_ctx.autoescape)
    def macro(l_1_table, l_1_id):
        t_4 = []
        if l_1_table is missing:
            l_1_table = undefined("parameter 'table' was not provided", name='table')
        if l_1_id is missing:
            l_1_id = undefined("parameter 'id' was not provided", name='id')
        pass
        t_4.extend((
            '<table class="blocks" cellpadding="4" role="table" aria-labelledby="',
            escape(l_1_id),
            '">\n<caption id="',
            escape(l_1_id),
            '">',
            escape(environment.getattr(l_1_table, 'caption')),
            '</caption>\n<thead role="rowgroup">\n<tr role="row">\n',
        ))
        for l_2_column in environment.getattr(l_1_table, 'columns'):
            _loop_vars = {}
            pass
            t_4.extend((
                '<th scope="col" role="columnheader">',
                escape(environment.getattr(l_2_column, 'label')),
                '</th>\n',
            ))
        l_2_column = missing
        t_4.append(
            '</tr>\n</thead>\n<tbody role="rowgroup" align="left">\n',
        )
        l_2_loop = missing
        for l_2_row, l_2_loop in LoopContext(environment.getattr(l_1_table, 'rows'), undefined):
            _loop_vars = {}
            pass
            t_4.extend((
                '<tr role="row">\n<th role="rowheader" scope="row">',
                escape(environment.getattr(environment.getitem(l_2_row, 0), 'text')),
                '</th>\n',
            ))
            l_3_loop = missing
            for l_3_cell, l_3_loop in LoopContext(l_2_row[1:], undefined):
                _loop_vars = {}
                pass
                t_4.append(
                    '<td role="cell"',
                )
                if (t_1(environment.getattr(l_3_cell, 'text')) < 12):
                    pass
                    t_4.append(
                        ' class="short"',
                    )
                t_4.extend((
                    ' data-label="',
                    escape(environment.getattr(environment.getitem(environment.getattr(l_1_table, 'columns'), environment.getattr(l_3_loop, 'index')), 'label')),
                    '">',
                    escape(context.call((undefined(name='show_figure') if l_0_show_figure is missing else l_0_show_figure), l_3_cell, _loop_vars=_loop_vars)),
                    '</td>\n',
                ))
            l_3_loop = l_3_cell = missing
            t_4.append(
                '</tr>\n',
            )
        l_2_loop = l_2_row = missing
        t_4.append(
            '</tbody>\n</table>\n',
        )
        for l_2_note in environment.getattr(l_1_table, 'remarks'):
            _loop_vars = {}
            pass
            t_4.extend((
                '<p class="note">',
                escape(l_2_note),
                '</p>\n',
            ))
        l_2_note = missing
        return concat(t_4)
    context.exported_vars.add('show_blocks')
    context.vars['show_blocks'] = l_0_show_blocks = Macro(environment, macro, 'show_blocks', ('table', 'id'), False, False, False, context.eval_ctx.autoescape)

blocks = {}
debug_info = '3=18&4=30&6=37&10=40&11=45&16=53&18=58&19=78&20=83&21=100&22=106&31=133&32=142&33=144&37=147&38=152&43=160&45=165&46=169&47=174&48=179&49=184&58=227&59=236&60=238&63=243&64=248&69=256&71=261&72=265&73=271&79=291&80=296'
