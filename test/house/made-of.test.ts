// An install without the packages of development notices that what is generated is that of another version.
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { isMadeOf, writeMadeOf } from '../../scripts/made-of.ts'

const SOURCES = [
  'package-lock.json',
  'prisma/schema.prisma',
  'scripts/generate.ts',
  'src/core/chain/explorer.ts',
  'src/dashboard/browser/parts/money.ts',
  'src/pay/style.css',
  'src/server/build.ts',
]

let root: string
const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'made-of-'))
  for (const path of [...SOURCES, 'src/adapters/prisma/generated/client.ts']) write(path, path)
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

it('refuses when nothing is generated', () => expect(isMadeOf(root)).toBe(false))

it('accepts what is generated until a file that it is made of changes', () => {
  writeMadeOf(root)
  expect(isMadeOf(root)).toBe(true)
  for (const path of SOURCES) {
    write(path, 'changed')
    expect(isMadeOf(root), path).toBe(false)
    write(path, path)
    expect(isMadeOf(root), path).toBe(true)
  }
})

it('notices a file that is new, or has another name', () => {
  writeMadeOf(root)
  write('src/pay/views/new.tsx', '')
  expect(isMadeOf(root)).toBe(false)
  writeMadeOf(root)
  renameSync(join(root, 'src/pay/views/new.tsx'), join(root, 'src/pay/views/other.tsx'))
  expect(isMadeOf(root)).toBe(false)
})

it('passes over the rest, and over what is generated', () => {
  writeMadeOf(root)
  for (const path of ['src/services/services.ts', 'src/pay/generated/files/pay-1.js', 'README.md']) write(path, 'new')
  expect(isMadeOf(root)).toBe(true)
})
