// Finds the prose of a source file: comments, and string literals that are more than one word.

/** Stands for code: no phrase goes across it. */
const CODE = '|'

/** Keeps line breaks, so that every character keeps its place. */
const blank = (code: string): string => code.replace(/[^\s]/g, CODE)
const spaces = (text: string): string => text.replace(/[^\n]/g, ' ')

/** Returns markdown of the same length, without code blocks, code spans, link targets and the marks of comments. */
export const proseOfMarkdown = (page: string): string =>
  page.replace(/```.*?```|`[^`\n]*`|\]\([^)]*\)|<[^>\n]+>/gs, blank)

/**
 * Returns text of the same length in which everything but comments and sentences is blanked out. A template literal is one
 * sentence, its substitutions are code.
 */
export function proseOfTypeScript(source: string): string {
  let prose = ''
  let at = 0
  /** The last character of code: it tells a regular expression from a division. */
  let before = '('

  const take = (end: number, render: (text: string) => string): void => {
    prose += render(source.slice(at, end))
    at = end
  }
  const endOf = (pattern: RegExp): number => {
    pattern.lastIndex = at
    return pattern.exec(source) === null ? source.length : pattern.lastIndex
  }

  const template = (): void => {
    take(at + 1, blank)
    while (at < source.length && source[at] !== '`') {
      if (!source.startsWith('${', at)) {
        const end = endOf(/(?:[^\\`$]|\\.|\$(?!\{))+/sy)
        take(Math.max(end, at + 1), (text) => text.replace(/\\./gs, '  '))
        continue
      }
      take(at + 2, blank)
      code('}')
      take(at + 1, blank)
    }
    take(at + 1, blank)
  }

  /** Reads code up to a closing brace of its own, or to the end. */
  function code(closing: string | null): void {
    for (let depth = 0; at < source.length; ) {
      const char = source[at] ?? ''
      if (char === closing && depth === 0) return
      if (source.startsWith('//', at)) take(endOf(/[^\n]*/y), (text) => text.replace('//', '  '))
      else if (source.startsWith('/*', at))
        take(endOf(/\/\*.*?\*\//sy), (text) => text.replace(/\/\*+|\*\/|\*/g, spaces))
      else if (char === "'" || char === '"')
        take(endOf(char === "'" ? /'(?:[^'\\\n]|\\.)*'/y : /"(?:[^"\\\n]|\\.)*"/y), (text) =>
          /\s/.test(text) ? ` ${text.slice(1, -1)} ` : blank(text),
        )
      else if (char === '`') template()
      else if (char === '/' && /[(,=:[!&|?{};+\-*%<>~^\n]/.test(before))
        take(endOf(/\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/y), blank)
      else {
        if (char === '{') depth += 1
        if (char === '}') depth -= 1
        take(at + 1, blank)
      }
      if (/\S/.test(char)) before = char
    }
  }

  code(null)
  return prose
}
