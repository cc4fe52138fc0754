// Directories that other users may not read.
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { closeToOthers } from '#adapters/node/directories.ts'
import { readOrCreateSecretFile, readSecretFile } from '#adapters/node/secret-files.ts'
import { openToOthers } from '../../support/file-modes.ts'

describe('directories', () => {
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
})

describe('secret files', () => {
  let directory: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'secret-'))
  })
  afterEach(() => rmSync(directory, { recursive: true }))

  const notExpected = () => {
    throw new Error('not expected here')
  }

  describe('a secret file', () => {
    it('is made once and read ever after', async () => {
      const path = join(directory, 'deep', 'token')
      expect(await readOrCreateSecretFile(path, () => 'first')).toEqual({
        secret: 'first',
        created: true,
        warning: null,
      })
      const again = await readOrCreateSecretFile(path, notExpected)
      expect(again).toEqual({ secret: 'first', created: false, warning: null })
      expect((await readSecretFile(path)).secret).toBe('first')
    })

    it.skipIf(process.platform === 'win32')('is for its owner only', async () => {
      const path = join(directory, 'deep', 'token')
      await readOrCreateSecretFile(path, () => 'secret')
      expect(statSync(path).mode & 0o777).toBe(0o600)
      expect(statSync(join(directory, 'deep')).mode & 0o777).toBe(0o700)
    })

    it('is the same for all concurrent readers, and leaves no other file', async () => {
      const path = join(directory, 'token')
      let made = 0
      const files = await Promise.all(Array.from({ length: 20 }, () => readOrCreateSecretFile(path, () => `${made++}`)))
      expect(new Set(files.map(({ secret }) => secret)).size).toBe(1)
      expect(readdirSync(directory)).toEqual(['token'])
    })

    it('is warned of when others can read it, without being shown', async () => {
      const path = join(directory, 'token')
      writeFileSync(path, 'hush\n')
      chmodSync(path, 0o644)
      const { secret, warning } = await readSecretFile(path)
      expect(secret).toBe('hush')
      expect(warning).toContain(path)
      expect(warning).not.toContain('hush')
    })

    it('that is empty or missing is refused, never replaced', async () => {
      const path = join(directory, 'token')
      await expect(readSecretFile(path)).rejects.toThrow(`there is no file ${path}`)
      writeFileSync(path, '\n')
      await expect(readOrCreateSecretFile(path, notExpected)).rejects.toThrow(`the file ${path} is empty`)
      await expect(readSecretFile(directory)).rejects.toThrow('cannot be read (EISDIR)')
    })

    it.skipIf(process.platform !== 'linux')('where nothing can be made is refused, not tried without end', async () => {
      const path = '/proc/nowhere/token'
      await expect(readOrCreateSecretFile(path, notExpected)).rejects.toThrow(
        new Error('the directory /proc/nowhere cannot be made (ENOENT)'),
      )
    })
  })
})
