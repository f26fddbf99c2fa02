"""Compiled from markdown/_part.md.j2 by `make templates`."""

from jinja2.runtime import LoopContext, Macro, Markup, Namespace, TemplateNotFound, TemplateReference, TemplateRuntimeError, Undefined, escape, identity, internalcode, markup_join, missing, str_join
name = 'markdown/_part.md.j2'

def root(context, missing=missing):
    resolve = context.resolve_or_missing
    undefined = environment.undefined
    concat = environment.concat
    cond_expr_undefined = Undefined
    if 0: yield None
    l_0_show_table = l_0_show_part = missing
    try:
        t_1 = environment.filters['e']
    except KeyError:
        @internalcode
        def t_1(*unused):
            raise TemplateRuntimeError("No filter named 'e' found.")
    try:
        t_2 = environment.filters['length']
    except KeyError:
        @internalcode
        def t_2(*unused):
            raise TemplateRuntimeError("No filter named 'length' found.")
    try:
        t_3 = environment.filters['md_header']
    except KeyError:
        @internalcode
        def t_3(*unused):
            raise TemplateRuntimeError("No filter named 'md_header' found.")
    try:
        t_4 = environment.filters['md_row']
    except KeyError:
        @internalcode
        def t_4(*unused):
            raise TemplateRuntimeError("No filter named 'md_row' found.")
    try:
        t_5 = environment.filters['md_text']
    except KeyError:
        @internalcode
        def t_5(*unused):
            raise TemplateRuntimeError("No filter named 'md_text' found.")
    pass
    def macro(l_1_table, l_1_has_caption):
        t_6 = []
        if l_1_table is missing:
            l_1_table = undefined("parameter 'table' was not provided", name='table')
        if l_1_has_caption is missing:
            l_1_has_caption = undefined("parameter 'has_caption' was not provided", name='has_caption')
        pass
        if l_1_has_caption:
            pass
            t_6.extend((
                '**',
                str(t_5(environment.getattr(l_1_table, 'caption'))),
                '**\n\n',
            ))
        t_6.append(
            '|',
        )
        for l_2_column in environment.getattr(l_1_table, 'columns'):
            _loop_vars = {}
            pass
            t_6.extend((
                ' ',
                str(t_3(l_2_column, keeps_lines=environment.getattr(l_1_table, 'keeps_lines'))),
                ' |',
            ))
        l_2_column = missing
        t_6.append(
            '\n|',
        )
        for l_2_column in environment.getattr(l_1_table, 'columns'):
            _loop_vars = {}
            pass
            t_6.extend((
                ' ',
                str(('---:' if environment.getattr(l_2_column, 'is_number') else '---')),
                ' |',
            ))
        l_2_column = missing
        t_6.append(
            '\n',
        )
        for l_2_row in environment.getattr(l_1_table, 'rows'):
            _loop_vars = {}
            pass
            t_6.extend((
                str(t_4(l_2_row, keeps_lines=environment.getattr(l_1_table, 'keeps_lines'))),
                '\n',
            ))
        l_2_row = missing
        for l_2_remark in environment.getattr(l_1_table, 'remarks'):
            _loop_vars = {}
            pass
            t_6.extend((
                '\n',
                str(t_5(l_2_remark)),
                '\n',
            ))
        l_2_remark = missing
        return concat(t_6)
    context.exported_vars.add('show_table')
    context.vars['show_table'] = l_0_show_table = Macro(environment, macro, 'show_table', ('table', 'has_caption'), False, False, False, context.eval_ctx.autoescape)
    def macro(l_1_part):
        t_7 = []
        if l_1_part is missing:
            l_1_part = undefined("parameter 'part' was not provided", name='part')
        pass
        if environment.getattr(l_1_part, 'is_folded'):
            pass
            t_7.extend((
                '\n<details>\n<summary>',
                str(t_1(environment.getattr(l_1_part, 'title'))),
                '</summary>\n',
            ))
        elif environment.getattr(l_1_part, 'title'):
            pass
            t_7.extend((
                '\n### ',
                str(t_5(environment.getattr(l_1_part, 'title'))),
                '\n',
            ))
        for l_2_sentence in environment.getattr(l_1_part, 'text'):
            _loop_vars = {}
            pass
            t_7.extend((
                '\n',
                str(t_5(l_2_sentence)),
                '\n',
            ))
        l_2_sentence = missing
        for l_2_line in environment.getattr(l_1_part, 'lines'):
            _loop_vars = {}
            pass
            t_7.extend((
                '\n',
                str(l_2_line),
                '\n',
            ))
        l_2_line = missing
        for l_2_table in environment.getattr(l_1_part, 'tables'):
            _loop_vars = {}
            pass
            t_7.extend((
                '\n',
                str(context.call((undefined(name='show_table') if l_0_show_table is missing else l_0_show_table), l_2_table, (t_2(environment.getattr(l_1_part, 'tables')) > 1), _loop_vars=_loop_vars)),
            ))
        l_2_table = missing
        if environment.getattr(l_1_part, 'is_folded'):
            pass
            t_7.append(
                '\n</details>\n',
            )
        return concat(t_7)
    context.exported_vars.add('show_part')
    context.vars['show_part'] = l_0_show_part = Macro(environment, macro, 'show_part', ('part',), False, False, False, context.eval_ctx.autoescape)

blocks = {}
debug_info = '2=42&3=49&4=53&7=59&9=71&11=83&12=87&14=91&16=96&19=103&20=108&23=112&24=115&26=119&28=122&30=127&32=131&34=136&36=140&38=145&40=148'
