// Directories that other users may not read.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { closeToOthers } from '#adapters/node/directories.ts'
import { openToOthers } from '../../support/file-modes.ts'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'modes-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const write = (name: string, mode: number): string => {
  const path = join(directory, name)
  writeFileSync(path, '')
  chmodSync(path, mode)
  return path
}

describe('a directory that is closed to others', () => {
  it('is closed with all below the entries, and keeps what its owner may do', async () => {
    mkdirSync(join(directory, 'database', 'base'), { recursive: true })
    write('database/base/1', 0o666)
    const program = write('database/run', 0o755)
    write('operator-token', 0o644)
    chmodSync(directory, 0o777)
    expect(await closeToOthers(directory, ['database', 'operator-token', 'missing'])).toBe(0o777)
    expect(openToOthers(directory)).toEqual([])
    expect(statSync(program).mode & 0o777).toBe(0o700)
    expect(await closeToOthers(directory, ['database', 'operator-token'])).toBe(0o700)
  })

  it('leaves other entries and what a link leads to as they are', async () => {
    const other = write('notes.txt', 0o644)
    symlinkSync(other, join(directory, 'database'))
    await closeToOthers(directory, ['database'])
    expect(statSync(other).mode & 0o777).toBe(0o644)
  })

  it('is refused in one line when it cannot be closed', async () => {
    // Not even root can change the modes of the kernel's own files.
    await expect(closeToOthers('/proc/self', [])).rejects.toThrow(
      /^\/proc\/self is open to other users \(mode 555\) and cannot be closed \(E[A-Z]+\)$/,
    )
  })
})
