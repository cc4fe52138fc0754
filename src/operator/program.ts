// The whole command line: `npm run -s operator -- COMMAND`. It reaches the service over HTTP only.
import { readFile } from 'node:fs/promises'
import { Command, CommanderError } from 'commander'
import { ConfigError, type Env, parseClientConfig } from '#config.ts'
import { serviceUrl } from './arguments.ts'
import { createAsk } from './client.ts'
import { addAccountCommands } from './commands/account.ts'
import { addAuditCommand } from './commands/audit.ts'
import { addCustodianCommands } from './commands/custodian.ts'
import { addHaltCommands } from './commands/halt.ts'
import { addHeldCommands } from './commands/held.ts'
import { addKeyCommands } from './commands/key.ts'
import { addSandboxCommands } from './commands/sandbox.ts'
import { addStatusCommand } from './commands/status.ts'
import { addTokenCommands } from './commands/token.ts'
import { addTransferCommands } from './commands/transfer.ts'
import { addWebhookCommands } from './commands/webhook.ts'
import { Failure, MISUSED, oneLine, REFUSED, UNREACHABLE } from './failure.ts'
import { toJson } from './output.ts'
import { createProgress } from './progress.ts'
import type { Shell } from './shell.ts'

export type Terminal = {
  readonly out: (line: string) => void
  readonly err: (line: string) => void
  /** Writes to the terminal beside the results as it is; null or left out where there is none. */
  readonly redraw?: ((text: string) => void) | null
}

type GlobalOptions = { url?: string; token?: string; json?: boolean }

/** Runs one command and answers its exit code: 0 done, 1 refused, 2 misused, 3 unreachable. Never throws. */
export async function runOperator(args: readonly string[], env: Env, terminal: Terminal): Promise<number> {
  const program = new Command('operator')
    .description('Runs a payments service: accounts, keys, the allowlist, money that got stuck.')
    .option('--url <url>', 'where the service is; from PUBLIC_URL, else HOST and PORT', serviceUrl('--url'))
    .option('--token <token>', 'the operator token; else OPERATOR_TOKEN, else the file operator-token in DATA_DIR')
    .option('--json', 'print one JSON object')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => terminal.err(text.trimEnd()),
      outputError: (text, write) => write(oneLine(text.replace(/^error: /, ''))),
    })
  const shell = createShell(() => program.opts<GlobalOptions>(), env, terminal)
  addAccountCommands(program, shell)
  addKeyCommands(program, shell)
  addTokenCommands(program, shell)
  addCustodianCommands(program, shell)
  addStatusCommand(program, shell)
  addAuditCommand(program, shell)
  addHaltCommands(program, shell)
  addHeldCommands(program, shell)
  addSandboxCommands(program, shell)
  addTransferCommands(program, shell)
  addWebhookCommands(program, shell)
  try {
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    return exitCodeOf(error, terminal)
  }
}

function exitCodeOf(error: unknown, { err }: Terminal): number {
  // Commander has printed its own complaint, or the help that was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : MISUSED
  if (error instanceof Failure) {
    err(error.message)
    return error.exitCode
  }
  err(oneLine(error instanceof Error ? error.message : String(error)))
  return error instanceof ConfigError ? MISUSED : REFUSED
}

/** Options are read when a command asks for something, because only then are they parsed. */
function createShell(options: () => GlobalOptions, env: Env, { out, err, redraw = null }: Terminal): Shell {
  return {
    ask(document, variables) {
      const settings = parseClientConfig(env)
      const url = (options().url ?? settings.url).replace(/\/+$/, '')
      return createAsk(url, () => tokenOf(options().token, settings.token))(document, variables)
    },
    show: (json, text) => out(options().json ? toJson(json) : text()),
    note: err,
    progress: (label) => createProgress(label, redraw, err),
  }
}

type TokenSetting = ReturnType<typeof parseClientConfig>['token']

async function tokenOf(given: string | undefined, setting: TokenSetting): Promise<string> {
  if (given !== undefined) return given
  if (setting.kind === 'given') return setting.secret
  try {
    return (await readFile(setting.path, 'utf8')).trim()
  } catch {
    throw new Failure(
      `no operator token: ${setting.path} cannot be read; start the service with npm start, or pass --token or OPERATOR_TOKEN`,
      UNREACHABLE,
    )
  }
}
