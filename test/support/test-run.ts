// The order of test files. Without the results of an earlier run, Vitest begins with the largest file of each project.
import { accessSync, constants, existsSync, statfsSync } from 'node:fs'
import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Returns a sequencer that begins with some files of each project, in their order. Their paths are from the root. */
export function longFirst(paths: readonly string[]) {
  const missing = paths.filter((path) => !existsSync(path))
  if (missing.length > 0) throw new Error(`no such test files: ${missing.join(', ')}`)
  return class extends BaseSequencer {
    override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      const rankOf = ({ moduleId }: TestSpecification): number => {
        const at = paths.indexOf(relative(this.ctx.config.root, moduleId))
        return at < 0 ? paths.length : at
      }
      const projects = Map.groupBy(await super.sort(files), ({ project }) => project.name)
      return [...projects.values()].flatMap((own) => own.toSorted((a, b) => rankOf(a) - rankOf(b)))
    }
  }
}

// A directory in memory for the files of a run. A copy of the embedded database has 1,200 files: to a disk it takes a second
// of the machine, in memory a tenth.

const MEMORY = '/dev/shm'
/** Ten embedded databases at once, and a PostgreSQL server. Containers often have 64 MB. */
const ENOUGH_BYTES = 2 * 1024 ** 3

/** Makes the programs of this run put their temporary files into memory, where the machine has enough of it. */
export function useMemoryForTemporaryFiles(): void {
  if (isLargeEnough(MEMORY)) process.env.TMPDIR = MEMORY
}

function isLargeEnough(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK)
    const { bavail, bsize } = statfsSync(directory)
    return bavail * bsize >= ENOUGH_BYTES
  } catch {
    return false
  }
}
