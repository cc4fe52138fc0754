// The rules that bind settings of several groups.
import { isEmbedded } from './chain.ts'
import { DEFAULT_PORT } from './server.ts'
import { ConfigError } from './setting.ts'
import type { SettingName, Settings } from './settings.ts'

/** Throws ConfigError when settings contradict each other, or when a setting lacks another one. */
export function judgeTogether(settings: Settings): void {
  const embedded = isEmbedded(settings)
  const refuse = (name: SettingName, what: string): never => {
    throw new ConfigError(`${name}: ${what}`)
  }
  if (embedded && settings.SOLANA_WS_URL !== undefined)
    refuse('SOLANA_WS_URL', 'is set without SOLANA_RPC_URL; set both, or neither for the embedded chain')
  if (settings.SOLANA_TEST_WS_URL !== undefined && settings.SOLANA_TEST_RPC_URL === undefined)
    refuse('SOLANA_TEST_WS_URL', 'is set without SOLANA_TEST_RPC_URL; set both or neither')
  if (embedded && settings.STREAM_URL !== undefined)
    refuse('STREAM_URL', 'is set without SOLANA_RPC_URL; set both, or neither for the embedded chain')
  if (settings.STREAM_TOKEN !== undefined && settings.STREAM_URL === undefined)
    refuse('STREAM_TOKEN', 'is set without STREAM_URL; set both or neither')
  if (settings.MASTER_SEED !== undefined && settings.MASTER_SEED_FILE !== undefined)
    refuse('MASTER_SEED', 'is set together with MASTER_SEED_FILE; set one of them')
  if (!embedded && settings.MASTER_SEED === undefined && settings.MASTER_SEED_FILE === undefined)
    refuse(
      'MASTER_SEED',
      'is missing, and with SOLANA_RPC_URL none is made up; write a BIP-39 mnemonic of 12 to 24 words, or set MASTER_SEED_FILE to a file that contains one',
    )
  const { PORT = DEFAULT_PORT, OPERATOR_PORT, ROLE = 'all' } = settings
  if (OPERATOR_PORT === PORT && ROLE !== 'worker')
    refuse('OPERATOR_PORT', `${PORT} is PORT as well; write another port, or leave it out`)
  if (settings.DATABASE_DIRECT_URL !== undefined && settings.DATABASE_URL === undefined)
    refuse('DATABASE_DIRECT_URL', 'is set without DATABASE_URL; set both or neither')
  if (ROLE !== 'all' && settings.DATABASE_URL === undefined)
    refuse('ROLE', `${ROLE} needs DATABASE_URL: the embedded database serves one process; write all`)
  if (ROLE !== 'all' && embedded)
    refuse('ROLE', `${ROLE} needs SOLANA_RPC_URL: the embedded chain lives in one process; write all`)
}
