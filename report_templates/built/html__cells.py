"""Compiled from html/_cells.html.j2 by `make templates`."""

from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'html/_cells.html.j2'

def root(context, missing=missing):
    resolve = context.resolve_or_missing
    undefined = environment.undefined
    concat = environment.concat
    cond_expr_undefined = Undefined
    if 0: yield None
    l_0_show_link = l_0_show_figure = l_0_show_name = missing
    pass
    def macro(l_1_cell, l_1_url):
        t_1 = []
        if l_1_cell is missing:
            l_1_cell = undefined("parameter 'cell' was not provided", name='cell')
        if l_1_url is missing:
            l_1_url = undefined("parameter 'url' was not provided", name='url')
        pass
        if l_1_url:
            pass
            t_1.extend((
                '<a href="',
                escape(l_1_url),
                '" rel="noreferrer">',
                escape(context.call((undefined(name='show_name') if l_0_show_name is missing else l_0_show_name), l_1_cell)),
                '</a>',
            ))
        else:
            pass
            t_1.append(
                escape(context.call((undefined(name='show_name') if l_0_show_name is missing else l_0_show_name), l_1_cell)),
            )
        return concat(t_1)
    context.exported_vars.add('show_link')
    context.vars['show_link'] = l_0_show_link = Macro(environment, macro, 'show_link', ('cell', 'url'), False, False, False, context.eval_ctx.autoescape)
    def macro(l_1_cell):
        t_2 = []
        if l_1_cell is missing:
            l_1_cell = undefined("parameter 'cell' was not provided", name='cell')
        pass
        t_2.append(
            '<span',
        )
        if environment.getattr(l_1_cell, 'tone'):
            pass
            t_2.extend((
                ' class="',
                escape(environment.getattr(l_1_cell, 'tone')),
                '"',
            ))
        if environment.getattr(l_1_cell, 'exact'):
            pass
            t_2.extend((
                ' title="',
                escape(environment.getattr(l_1_cell, 'exact')),
                '"',
            ))
        t_2.extend((
            '>',
            escape(environment.getattr(l_1_cell, 'text')),
            '</span>',
        ))
        return concat(t_2)
    context.exported_vars.add('show_figure')
    context.vars['show_figure'] = l_0_show_figure = Macro(environment, macro, 'show_figure', ('cell',), False, False, False, context.eval_ctx.autoescape)
    def macro(l_1_cell):
        t_3 = []
        if l_1_cell is missing:
            l_1_cell = undefined("parameter 'cell' was not provided", name='cell')
        pass
        t_3.append(
            '<span',
        )
        if environment.getattr(l_1_cell, 'is_name'):
            pass
            t_3.append(
                ' class="name"',
            )
        elif environment.getattr(l_1_cell, 'tone'):
            pass
            t_3.extend((
                ' class="',
                escape(environment.getattr(l_1_cell, 'tone')),
                '"',
            ))
        if environment.getattr(l_1_cell, 'exact'):
            pass
            t_3.extend((
                ' title="',
                escape(environment.getattr(l_1_cell, 'exact')),
                '"',
            ))
        t_3.extend((
            '>',
            escape(environment.getattr(l_1_cell, 'text')),
            '</span>',
        ))
        return concat(t_3)
    context.exported_vars.add('show_name')
    context.vars['show_name'] = l_0_show_name = Macro(environment, macro, 'show_name', ('cell',), False, False, False, context.eval_ctx.autoescape)

blocks = {}
debug_info = '2=12&3=19&5=36&6=44&8=66&9=74'
