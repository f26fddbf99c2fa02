"""Compiled from html/_gates.html.j2 by `make templates`."""

from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'html/_gates.html.j2'

def root(context, missing=missing):
    resolve = context.resolve_or_missing
    undefined = environment.undefined
    concat = environment.concat
    cond_expr_undefined = Undefined
    if 0: yield None
    l_0_show_figure = l_0_show_name = l_0_show_outcome = l_0_show_gates = missing
    try:
        t_1 = environment.filters['limit_bar']
    except KeyError:
        @internalcode
        def t_1(*unused):
            raise TemplateRuntimeError("No filter named 'limit_bar' found.")
    try:
        t_2 = environment.filters['list']
    except KeyError:
        @internalcode
        def t_2(*unused):
            raise TemplateRuntimeError("No filter named 'list' found.")
    try:
        t_3 = environment.filters['rejectattr']
    except KeyError:
        @internalcode
        def t_3(*unused):
            raise TemplateRuntimeError("No filter named 'rejectattr' found.")
    try:
        t_4 = environment.filters['sparkline']
    except KeyError:
        @internalcode
        def t_4(*unused):
            raise TemplateRuntimeError("No filter named 'sparkline' found.")
    pass
    included_template = environment.get_template('html/_cells.html.j2', 'html/_gates.html.j2')._get_default_module(context)
    l_0_show_figure = getattr(included_template, 'show_figure', missing)
    if l_0_show_figure is missing:
        l_0_show_figure = undefined(f"the template {included_template.__name__!r} (imported on line 2 in 'html/_gates.html.j2') does not export the requested name 'show_figure'", name='show_figure')
    l_0_show_name = getattr(included_template, 'show_name', missing)
    if l_0_show_name is missing:
        l_0_show_name = undefined(f"the template {included_template.__name__!r} (imported on line 2 in 'html/_gates.html.j2') does not export the requested name 'show_name'", name='show_name')
    context.vars.update({'show_figure': l_0_show_figure, 'show_name': l_0_show_name})
    context.exported_vars.difference_update(('show_figure', 'show_name'))
    def macro(l_1_row):
        t_5 = []
        if l_1_row is missing:
            l_1_row = undefined("parameter 'row' was not provided", name='row')
        pass
        t_5.extend((
            '<span class="',
            escape(environment.getattr(environment.getattr(l_1_row, 'outcome'), 'tone')),
            '"><span aria-hidden="true">',
            escape(environment.getattr(l_1_row, 'symbol')),
            '</span> ',
            escape(environment.getattr(environment.getattr(l_1_row, 'outcome'), 'text')),
            '</span>',
        ))
        return concat(t_5)
    context.exported_vars.add('show_outcome')
    context.vars['show_outcome'] = l_0_show_outcome = Macro(environment, macro, 'show_outcome', ('row',), False, False, False, context.eval_ctx.autoescape)
    def macro(l_1_gates, l_1_id):
        t_6 = []
        l_1_has_base = resolve('has_base')
        l_1_has_rule = resolve('has_rule')
        if l_1_gates is missing:
            l_1_gates = undefined("parameter 'gates' was not provided", name='gates')
        if l_1_id is missing:
            l_1_id = undefined("parameter 'id' was not provided", name='id')
        pass
        if environment.getattr(l_1_gates, 'rows'):
            pass
            l_1_has_base = t_2(context.eval_ctx, t_3(context, environment.getattr(l_1_gates, 'rows'), 'base.tone', 'eq', 'absent'))
            l_1_has_rule = t_2(context.eval_ctx, t_3(context, environment.getattr(l_1_gates, 'rows'), 'rule.tone', 'eq', 'absent'))
            t_6.extend((
                '<table class="gates" cellpadding="4" role="table" aria-labelledby="',
                escape(l_1_id),
                '">\n<caption id="',
                escape(l_1_id),
                '">',
                escape(environment.getattr(l_1_gates, 'caption')),
                '</caption>\n<thead role="rowgroup">\n<tr role="row">\n<th scope="col" role="columnheader">Outcome</th>\n<th scope="col" role="columnheader">Figure</th>\n',
            ))
            if (undefined(name='has_base') if l_1_has_base is missing else l_1_has_base):
                pass
                t_6.append(
                    '<th scope="col" role="columnheader" class="n">Base</th>\n',
                )
            t_6.extend((
                '<th scope="col" role="columnheader" class="n">',
                escape(('Head' if (undefined(name='has_base') if l_1_has_base is missing else l_1_has_base) else 'Total')),
                '</th>\n',
            ))
            if (undefined(name='has_base') if l_1_has_base is missing else l_1_has_base):
                pass
                t_6.append(
                    '<th scope="col" role="columnheader" class="n">Change</th>\n',
                )
            if (undefined(name='has_rule') if l_1_has_rule is missing else l_1_has_rule):
                pass
                t_6.append(
                    '<th scope="col" role="columnheader">Against the limit</th>\n<th scope="col" role="columnheader">Rule</th>\n',
                )
            t_6.append(
                '</tr>\n</thead>\n<tbody role="rowgroup" align="left">\n',
            )
            for l_2_row in environment.getattr(l_1_gates, 'rows'):
                _loop_vars = {}
                pass
                t_6.extend((
                    '<tr role="row">\n<td role="cell" class="outcome">',
                    escape(context.call((undefined(name='show_outcome') if l_0_show_outcome is missing else l_0_show_outcome), l_2_row, _loop_vars=_loop_vars)),
                    '</td>\n<th role="rowheader" scope="row">',
                    escape(environment.getattr(environment.getattr(l_2_row, 'figure'), 'text')),
                ))
                if environment.getattr(l_2_row, 'trend'):
                    pass
                    t_6.extend((
                        ' ',
                        escape(t_4(environment.getattr(l_2_row, 'trend'))),
                    ))
                if environment.getattr(l_2_row, 'place'):
                    pass
                    t_6.extend((
                        '<div>',
                        escape(context.call((undefined(name='show_name') if l_0_show_name is missing else l_0_show_name), environment.getattr(l_2_row, 'place'), _loop_vars=_loop_vars)),
                        '</div>',
                    ))
                t_6.append(
                    '</th>\n',
                )
                if (undefined(name='has_base') if l_1_has_base is missing else l_1_has_base):
                    pass
                    t_6.extend((
                        '<td role="cell" class="n base">',
                        escape(context.call((undefined(name='show_figure') if l_0_show_figure is missing else l_0_show_figure), environment.getattr(l_2_row, 'base'), _loop_vars=_loop_vars)),
                        '</td>\n',
                    ))
                t_6.extend((
                    '<td role="cell" class="n head">',
                    escape(context.call((undefined(name='show_figure') if l_0_show_figure is missing else l_0_show_figure), environment.getattr(l_2_row, 'head'), _loop_vars=_loop_vars)),
                    '</td>\n',
                ))
                if (undefined(name='has_base') if l_1_has_base is missing else l_1_has_base):
                    pass
                    t_6.extend((
                        '<td role="cell" class="n change">',
                        escape(context.call((undefined(name='show_figure') if l_0_show_figure is missing else l_0_show_figure), environment.getattr(l_2_row, 'change'), _loop_vars=_loop_vars)),
                        '</td>\n',
                    ))
                if (undefined(name='has_rule') if l_1_has_rule is missing else l_1_has_rule):
                    pass
                    t_6.append(
                        '<td role="cell" class="limit">',
                    )
                    if environment.getattr(l_2_row, 'track'):
                        pass
                        t_6.append(
                            escape(t_1(environment.getattr(l_2_row, 'track'))),
                        )
                    if environment.getattr(l_2_row, 'note'):
                        pass
                        t_6.extend((
                            '<div class="note">',
                            escape(environment.getattr(l_2_row, 'note')),
                            '</div>',
                        ))
                    t_6.extend((
                        '</td>\n<td role="cell" class="rule">',
                        escape(context.call((undefined(name='show_name') if l_0_show_name is missing else l_0_show_name), environment.getattr(l_2_row, 'rule'), _loop_vars=_loop_vars)),
                        '</td>\n',
                    ))
                t_6.append(
                    '</tr>\n',
                )
            l_2_row = missing
            t_6.append(
                '</tbody>\n</table>\n',
            )
        for l_2_sentence in environment.getattr(l_1_gates, 'sentences'):
            _loop_vars = {}
            pass
            t_6.extend((
                '<p class="note">',
                escape(l_2_sentence),
                '</p>\n',
            ))
        l_2_sentence = missing
        return concat(t_6)
    context.exported_vars.add('show_gates')
    context.vars['show_gates'] = l_0_show_gates = Macro(environment, macro, 'show_gates', ('gates', 'id'), False, False, False, context.eval_ctx.autoescape)

blocks = {}
debug_info = '2=36&3=45&4=52&6=62&7=71&8=73&9=74&10=77&11=79&16=84&19=91&20=94&23=99&30=107&32=112&33=114&34=132&35=136&37=141&38=144&39=148&41=151&42=156&43=170&50=180&51=185'
