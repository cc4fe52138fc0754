import type { Command } from 'commander'
import { createSecretFile } from '#adapters/node/secret-files.ts'
import { newMnemonic } from '#adapters/solana/keys/seed.ts'
import { codeOf } from '#lib/values.ts'
import { fileName } from '#operator/arguments.ts'
import { Failure, REFUSED } from '#operator/failure.ts'
import type { Shell } from '#operator/shell.ts'

export function addSeedCommands(
  program: Command,
  { pathOf, show, note }: Pick<Shell, 'pathOf' | 'show' | 'note'>,
): void {
  program
    .command('seed')
    .description('the master seed of a new deployment')
    .command('create')
    .option(
      '--out <file>',
      'a new file for the seed, which only its owner may read; else it is printed',
      fileName('--out'),
    )
    .description('make a BIP-39 mnemonic of 24 words, for MASTER_SEED_FILE. No service is asked')
    .action(async ({ out }: { out?: string }) => {
      const mnemonic = newMnemonic()
      if (out === undefined) show({ mnemonic }, () => mnemonic)
      else {
        const file = pathOf(out)
        await store(file, mnemonic)
        show({ file }, () => `The master seed is in ${file}.`)
      }
      note('Keep a copy in another place: every key derives from these words, and nothing can restore them.')
    })
}

/** Throws Failure for a file that exists: it may be the seed of money. */
async function store(file: string, mnemonic: string): Promise<void> {
  try {
    await createSecretFile(file, mnemonic)
  } catch (error) {
    const code = codeOf(error)
    const why = code === 'EEXIST' ? 'exists already, and is left as it is' : `cannot be written (${code})`
    throw new Failure(`${file} ${why}`, REFUSED, code === 'EEXIST' ? 'file_exists' : 'file_not_written')
  }
}
