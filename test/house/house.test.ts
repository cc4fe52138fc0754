// The check of words finds what it is to find, in prose only.

import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { findWords } from '../../scripts/lint/language.ts'
import { proseOfMarkdown, proseOfTypeScript } from '../../scripts/lint/prose.ts'

describe('language', () => {
  const found = (path: string, source: string) => findWords(path, source).map(({ line, found }) => `${line} ${found}`)
  /** Source text in which `#{` begins a substitution. */
  const template = (source: string): string => source.replaceAll('#{', '${')

  describe('in TypeScript', () => {
    test.each([
      ['a line comment', 'run() // reads it anew', ['1 anew']],
      ['a docstring', '/**\n * Reads it.\n * Anew.\n */\nrun()', ['3 Anew']],
      ['a phrase over two lines', '// It stops for\n// good.\n', ['1 for good']],
      ['a message', "throw new Error('it was told to stop')", ['1 told']],
      ['a test name', "it('waits for whoever comes', run)", ['1 whoever']],
      ['a template', 'log(`#{beside} is beside #{x}`)', ['1 beside']],
      ['a template within a template', 'log(`a #{`b is beside #{x}`} c`)', ['1 beside']],
      ['a comment after a regular expression', "split(/'/) // told", ['1 told']],
      ['a comment after a division', 'a / b // told\nc / d', ['1 told']],
      ['an inverted sentence', '// It goes. Of SOL the fee is taken.', ['1 Of']],
    ])('it reads %s', (_what, source, expected) => expect(found('a.ts', template(source))).toEqual(expected))

    test.each([
      ['code', 'const told = beside.anew'],
      ['a string that is one word', "if (state === 'told') return"],
      ['a substitution', 'log(`it is #{told} here`)'],
      ['a regular expression', 'const words = /told|anew/'],
      ['a phrase that code divides', "log('this is for', good('good for this'))"],
      ['a word within another', '// an outstanding storyteller, a newsletter'],
    ])('it passes over %s', (_what, source) => expect(found('a.ts', template(source))).toEqual([]))
  })

  test('in markdown it reads text, and passes over code and link targets', () => {
    const page = 'Told.\n\n```\ntold\n```\n\n`told` and [a name](told.md), beside it.'
    expect(found('a.md', page)).toEqual(['1 Told', '7 beside'])
  })

  test('prose keeps its place: every line is where it was', () => {
    const source = template(
      "/* one */ const a = `x #{b ? 'c d' : `e f`} y` // two\nconst r = /[/]'/g, s = 'three four'\n",
    )
    const prose = proseOfTypeScript(source)
    expect(prose).toHaveLength(source.length)
    expect(prose.match(/\w+/g)).toEqual(['one', 'x', 'c', 'd', 'e', 'f', 'y', 'two', 'three', 'four'])
    expect(proseOfMarkdown('a `b` c')).toBe('a ||| c')
  })
})

// npm asks for a decision about each package that runs a script when it is installed, and will refuse those without one.
describe('install scripts', () => {
  const read = (name: string): unknown => JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'))

  test('package.json decides about each package with an install script', () => {
    const lock = z
      .object({ packages: z.record(z.string(), z.object({ hasInstallScript: z.boolean().optional() })) })
      .parse(read('package-lock.json'))
    const scripted = Object.entries(lock.packages).flatMap(([path, { hasInstallScript }]) =>
      hasInstallScript && path !== '' ? [path.replace(/^.*node_modules\//, '')] : [],
    )
    const { allowScripts } = z.object({ allowScripts: z.record(z.string(), z.boolean()) }).parse(read('package.json'))
    expect(Object.keys(allowScripts).toSorted()).toEqual(scripted.toSorted())
  })
})
