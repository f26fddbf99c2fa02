"""Compiled from html/_waterfall.html.j2 by `make templates`."""

from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'html/_waterfall.html.j2'

def root(context, missing=missing):
    resolve = context.resolve_or_missing
    undefined = environment.undefined
    concat = environment.concat
    cond_expr_undefined = Undefined
    if 0: yield None
    l_0_show_figure = l_0_show_name = l_0_show_what = l_0_show_waterfall = l_0_show_waterfalls = missing
    try:
        t_1 = environment.filters['waterfall_bar']
    except KeyError:
        @internalcode
        def t_1(*unused):
            raise TemplateRuntimeError("No filter named 'waterfall_bar' found.")
    pass
    included_template = environment.get_template('html/_cells.html.j2', 'html/_waterfall.html.j2')._get_default_module(context)
    l_0_show_figure = getattr(included_template, 'show_figure', missing)
    if l_0_show_figure is missing:
        l_0_show_figure = undefined(f"the template {included_template.__name__!r} (imported on line 2 in 'html/_waterfall.html.j2') does not export the requested name 'show_figure'", name='show_figure')
    l_0_show_name = getattr(included_template, 'show_name', missing)
    if l_0_show_name is missing:
        l_0_show_name = undefined(f"the template {included_template.__name__!r} (imported on line 2 in 'html/_waterfall.html.j2') does not export the requested name 'show_name'", name='show_name')
    context.vars.update({'show_figure': l_0_show_figure, 'show_name': l_0_show_name})
    context.exported_vars.difference_update(('show_figure', 'show_name'))
    def macro(l_1_step):
        t_2 = []
        if l_1_step is missing:
            l_1_step = undefined("parameter 'step' was not provided", name='step')
        pass
        if environment.getattr(l_1_step, 'name'):
            pass
            t_2.extend((
                escape(context.call((undefined(name='show_name') if l_0_show_name is missing else l_0_show_name), environment.getattr(l_1_step, 'name'))),
                ' ',
            ))
        t_2.append(
            escape(environment.getattr(l_1_step, 'what')),
        )
        return concat(t_2)
    context.exported_vars.add('show_what')
    context.vars['show_what'] = l_0_show_what = Macro(environment, macro, 'show_what', ('step',), False, False, False, context.eval_ctx.autoescape)
    def macro(l_1_waterfall, l_1_id):
        t_3 = []
        if l_1_waterfall is missing:
            l_1_waterfall = undefined("parameter 'waterfall' was not provided", name='waterfall')
        if l_1_id is missing:
            l_1_id = undefined("parameter 'id' was not provided", name='id')
        pass
        t_3.extend((
            '<table class="waterfall" cellpadding="4" role="table" aria-labelledby="',
            escape(l_1_id),
            '">\n<caption id="',
            escape(l_1_id),
            '">',
            escape(environment.getattr(l_1_waterfall, 'title')),
            '</caption>\n<thead role="rowgroup" class="unseen">\n<tr role="row"><th scope="col" role="columnheader">What</th><th scope="col" role="columnheader">Bar</th><th scope="col" role="columnheader">Amount</th></tr>\n</thead>\n',
        ))
        for l_2_step in environment.getattr(l_1_waterfall, 'steps'):
            _loop_vars = {}
            pass
            t_3.extend((
                '<tbody role="rowgroup" align="left">\n<tr role="row" class="',
                escape(environment.getattr(l_2_step, 'tone')),
                '">\n<th role="rowheader" scope="row">',
            ))
            if environment.getattr(l_2_step, 'members'):
                pass
                t_3.extend((
                    '<details><summary>',
                    escape(context.call((undefined(name='show_what') if l_0_show_what is missing else l_0_show_what), l_2_step, _loop_vars=_loop_vars)),
                    '</summary></details>',
                ))
            else:
                pass
                t_3.append(
                    escape(context.call((undefined(name='show_what') if l_0_show_what is missing else l_0_show_what), l_2_step, _loop_vars=_loop_vars)),
                )
            if environment.getattr(l_2_step, 'code_line'):
                pass
                t_3.extend((
                    ' <small>',
                    escape(context.call((undefined(name='show_name') if l_0_show_name is missing else l_0_show_name), environment.getattr(l_2_step, 'code_line'), _loop_vars=_loop_vars)),
                ))
                if environment.getattr(l_2_step, 'side'):
                    pass
                    t_3.extend((
                        ' ',
                        escape(environment.getattr(l_2_step, 'side')),
                    ))
                t_3.append(
                    '</small>',
                )
            t_3.extend((
                '</th>\n<td role="cell" class="bar">',
                escape(t_1(l_2_step)),
                '</td>\n<td role="cell" class="n">',
                escape(context.call((undefined(name='show_figure') if l_0_show_figure is missing else l_0_show_figure), environment.getattr(l_2_step, 'amount'), _loop_vars=_loop_vars)),
                '</td>\n</tr>\n',
            ))
            for l_3_member in environment.getattr(l_2_step, 'members'):
                _loop_vars = {}
                pass
                t_3.extend((
                    '<tr role="row" class="member">\n<th role="rowheader" scope="row">',
                    escape(context.call((undefined(name='show_what') if l_0_show_what is missing else l_0_show_what), l_3_member, _loop_vars=_loop_vars)),
                    '</th>\n<td role="cell" class="bar"></td>\n<td role="cell" class="n">',
                    escape(context.call((undefined(name='show_figure') if l_0_show_figure is missing else l_0_show_figure), environment.getattr(l_3_member, 'amount'), _loop_vars=_loop_vars)),
                    '</td>\n</tr>\n',
                ))
            l_3_member = missing
            t_3.append(
                '</tbody>\n',
            )
        l_2_step = missing
        t_3.append(
            '</table>\n',
        )
        if environment.getattr(l_1_waterfall, 'note'):
            pass
            t_3.extend((
                '<p class="note">',
                escape(environment.getattr(l_1_waterfall, 'note')),
                '</p>\n',
            ))
        return concat(t_3)
    context.exported_vars.add('show_waterfall')
    context.vars['show_waterfall'] = l_0_show_waterfall = Macro(environment, macro, 'show_waterfall', ('waterfall', 'id'), False, False, False, context.eval_ctx.autoescape)
    def macro(l_1_waterfalls):
        t_4 = []
        if l_1_waterfalls is missing:
            l_1_waterfalls = undefined("parameter 'waterfalls' was not provided", name='waterfalls')
        pass
        l_2_loop = missing
        for l_2_waterfall, l_2_loop in LoopContext(l_1_waterfalls, undefined):
            _loop_vars = {}
            pass
            if environment.getattr(l_2_loop, 'first'):
                pass
                t_4.extend((
                    escape(context.call((undefined(name='show_waterfall') if l_0_show_waterfall is missing else l_0_show_waterfall), l_2_waterfall, markup_join(('steps-', environment.getattr(l_2_loop, 'index'), )), _loop_vars=_loop_vars)),
                    '\n',
                ))
            else:
                pass
                t_4.extend((
                    '<details>\n<summary>',
                    escape(environment.getattr(l_2_waterfall, 'title')),
                    '</summary>\n',
                    escape(context.call((undefined(name='show_waterfall') if l_0_show_waterfall is missing else l_0_show_waterfall), l_2_waterfall, markup_join(('steps-', environment.getattr(l_2_loop, 'index'), )), _loop_vars=_loop_vars)),
                    '\n</details>\n',
                ))
        l_2_loop = l_2_waterfall = missing
        return concat(t_4)
    context.exported_vars.add('show_waterfalls')
    context.vars['show_waterfalls'] = l_0_show_waterfalls = Macro(environment, macro, 'show_waterfalls', ('waterfalls',), False, False, False, context.eval_ctx.autoescape)

blocks = {}
debug_info = '2=18&3=27&4=32&6=44&7=53&8=55&12=60&14=65&15=68&16=97&17=99&19=102&21=107&23=109&29=120&30=124&33=130&34=136&35=139&36=142&39=149&40=151'
