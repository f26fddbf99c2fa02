"""Compiled from html/_table.html.j2 by `make templates`."""

from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'html/_table.html.j2'

def root(context, missing=missing):
    resolve = context.resolve_or_missing
    undefined = environment.undefined
    concat = environment.concat
    cond_expr_undefined = Undefined
    if 0: yield None
    l_0_show_header = l_0_show_table = missing
    try:
        t_1 = environment.filters['html_rows']
    except KeyError:
        @internalcode
        def t_1(*unused):
            raise TemplateRuntimeError("No filter named 'html_rows' found.")
    try:
        t_2 = environment.filters['length']
    except KeyError:
        @internalcode
        def t_2(*unused):
            raise TemplateRuntimeError("No filter named 'length' found.")
    pass
    def macro(l_1_column, l_1_span):
        t_3 = []
        if l_1_column is missing:
            l_1_column = undefined("parameter 'column' was not provided", name='column')
        if l_1_span is missing:
            l_1_span = undefined("parameter 'span' was not provided", name='span')
        pass
        t_3.extend((
            '<th scope="col" data-kind="',
            escape(('number' if environment.getattr(l_1_column, 'is_number') else 'text')),
            '"',
        ))
        if environment.getattr(l_1_column, 'group'):
            pass
            t_3.extend((
                ' aria-label="',
                escape(environment.getattr(l_1_column, 'group')),
                ', ',
                escape(environment.getattr(l_1_column, 'label')),
                '"',
            ))
        if l_1_span:
            pass
            t_3.append(
                ' rowspan="2"',
            )
        t_3.extend((
            '>',
            escape(environment.getattr(l_1_column, 'label')),
            '</th>\n',
        ))
        return concat(t_3)
    context.exported_vars.add('show_header')
    context.vars['show_header'] = l_0_show_header = Macro(environment, macro, 'show_header', ('column', 'span'), False, False, False, context.eval_ctx.autoescape)
    def macro(l_1_table, l_1_id, l_1_may_fold):
        t_4 = []
        l_1_is_folded = missing
        if l_1_table is missing:
            l_1_table = undefined("parameter 'table' was not provided", name='table')
        if l_1_id is missing:
            l_1_id = undefined("parameter 'id' was not provided", name='id')
        if l_1_may_fold is missing:
            l_1_may_fold = False
        pass
        l_1_is_folded = (l_1_may_fold and (t_2(environment.getattr(l_1_table, 'rows')) > 12))
        if (undefined(name='is_folded') if l_1_is_folded is missing else l_1_is_folded):
            pass
            t_4.extend((
                '<details>\n<summary>',
                escape(environment.getattr(l_1_table, 'caption')),
                ', ',
                escape(context.call(environment.getattr('{:,}', 'format'), t_2(environment.getattr(l_1_table, 'rows')))),
                ' rows</summary>\n',
            ))
        t_4.append(
            '<div class="scroll',
        )
        if (t_2(environment.getattr(l_1_table, 'rows')) > 30):
            pass
            t_4.append(
                ' tall',
            )
        t_4.extend((
            '" role="region" tabindex="0" aria-labelledby="',
            escape(l_1_id),
            '">\n<table cellpadding="4">\n<caption id="',
            escape(l_1_id),
            '">',
            escape(environment.getattr(l_1_table, 'caption')),
            '</caption>\n<thead>\n',
        ))
        if environment.getattr(l_1_table, 'groups'):
            pass
            t_4.append(
                '<tr>\n',
            )
            for l_2_group in environment.getattr(l_1_table, 'groups'):
                _loop_vars = {}
                pass
                if environment.getattr(l_2_group, 'label'):
                    pass
                    t_4.extend((
                        '<th scope="colgroup" colspan="',
                        escape(environment.getattr(l_2_group, 'span')),
                        '">',
                        escape(environment.getattr(l_2_group, 'label')),
                        '</th>\n',
                    ))
                else:
                    pass
                    t_4.append(
                        escape(context.call((undefined(name='show_header') if l_0_show_header is missing else l_0_show_header), environment.getitem(environment.getattr(l_2_group, 'columns'), 0), True, _loop_vars=_loop_vars)),
                    )
            l_2_group = missing
            t_4.append(
                '</tr>\n',
            )
        t_4.append(
            '<tr>\n',
        )
        def t_5(fiter):
            for l_2_column in fiter:
                if (environment.getattr(l_2_column, 'group') or (not environment.getattr(l_1_table, 'groups'))):
                    yield l_2_column
        for l_2_column in t_5(environment.getattr(l_1_table, 'columns')):
            _loop_vars = {}
            pass
            t_4.append(
                escape(context.call((undefined(name='show_header') if l_0_show_header is missing else l_0_show_header), l_2_column, False, _loop_vars=_loop_vars)),
            )
        l_2_column = missing
        t_4.extend((
            '</tr>\n</thead>\n',
            escape(t_1(l_1_table)),
            '\n</table>\n</div>\n',
        ))
        if (t_2(environment.getattr(l_1_table, 'rows')) > 100):
            pass
            t_4.append(
                '<p class="note paper">On paper: 100 of these rows, upper levels first.</p>\n',
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
        if (undefined(name='is_folded') if l_1_is_folded is missing else l_1_is_folded):
            pass
            t_4.append(
                '</details>\n',
            )
        return concat(t_4)
    context.exported_vars.add('show_table')
    context.vars['show_table'] = l_0_show_table = Macro(environment, macro, 'show_table', ('table', 'id', 'may_fold'), False, False, False, context.eval_ctx.autoescape)

blocks = {}
debug_info = '2=24&3=33&5=58&6=68&7=69&9=73&11=81&13=90&15=95&17=100&18=103&19=107&21=115&27=124&28=132&32=137&35=140&38=145&39=150&41=154'
