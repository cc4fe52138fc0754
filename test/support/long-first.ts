// The order of test files. Without the results of an earlier run, Vitest begins with the largest file of each project.
import { existsSync } from 'node:fs'
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
