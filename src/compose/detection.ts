// Puts together the two ways of finding the deposits of a network: by addresses and by blocks.
import { systemClock } from '#adapters/node/clock.ts'
import type { DepositSourceKind } from '#core/chain/source-choice.ts'
import type { Network } from '#core/chain/types.ts'
import type { BlockSource, FinalityNotices } from '#ports/blocks.ts'
import type {
  AccountNotices,
  DepositKeys,
  FinalityJudge,
  HistoryReader,
  SlotTime,
  TokenAccountReader,
} from '#ports/chain.ts'
import type { Clock } from '#ports/clock.ts'
import type { DepositSourceStore } from '#ports/deposit-sources.ts'
import type { IntentWorkStore } from '#ports/payments.ts'
import type { Directory } from '#services/accounts/directory.ts'
import { BlockScan } from '#services/detection/blocks/block-scan.ts'
import { LateAddresses } from '#services/detection/blocks/late-addresses.ts'
import { Detection } from '#services/detection/detection.ts'
import type { ObserveDeposits } from '#services/detection/observe.ts'
import { OtherAccounts } from '#services/detection/polling/other-accounts.ts'
import type { Watcher } from '#services/detection/polling/watcher.ts'
import { SetAsidePayments } from '#services/detection/set-aside-payments.ts'
import { createTakeIn } from '#services/detection/take-in.ts'
import type { ReadDecisionContext } from '#services/payments/decide.ts'
import type { LockRate } from '#services/payments/lock-rate.ts'

export type DetectionParts = {
  readonly intents: IntentWorkStore
  readonly sources: DepositSourceStore
  readonly keys: DepositKeys
  readonly directory: Pick<Directory, 'tokens'>
  readonly decisionContext: ReadDecisionContext
  readonly lockRate: LockRate
  readonly clock: Clock
  /** The way that the operator has fixed; null chooses by cost. */
  readonly depositSource: DepositSourceKind | null
  readonly blockCredits: number
  readonly onError: (error: unknown, context: Readonly<Record<string, string>>) => void
}

/** The network whose deposits are found. */
export type DetectionRuntime = {
  readonly network: Network
  readonly chain: Pick<HistoryReader, 'transaction'> &
    Pick<FinalityJudge, 'finalDoubts'> &
    SlotTime &
    TokenAccountReader & { openBlocks(): BlockSource }
}

export function buildDetection(
  parts: DetectionParts,
  { network, chain }: DetectionRuntime,
  {
    watcher,
    notices,
    observe,
    onFinality,
  }: {
    watcher: Watcher
    notices: AccountNotices & FinalityNotices
    observe: ObserveDeposits
    onFinality: () => void
  },
): { detection: Detection; blocks: BlockSource } {
  const { intents, sources, clock, onError } = parts
  const blocks = chain.openBlocks()
  const readToSlot = () => scan.head?.slot ?? 0n
  const setAside = new SetAsidePayments({ network, store: sources, watcher, readToSlot, wallClock: systemClock })
  const lateAddresses = new LateAddresses({
    network,
    source: blocks,
    store: sources,
    intents,
    watcher,
    setAside,
    readTo: () => scan.readTo,
    readToSlot,
    wallClock: systemClock,
  })
  const scan: BlockScan = new BlockScan({
    network,
    source: blocks,
    chain,
    store: sources,
    takeIn: createTakeIn({ ...parts, store: intents }),
    setAside,
    clock,
    wallClock: systemClock,
    lateAddresses,
    onError,
  })
  const detection = new Detection({
    network,
    watcher,
    scan,
    source: blocks,
    store: sources,
    notices,
    finality: notices,
    lateAddresses,
    setAside,
    otherAccounts: new OtherAccounts({ ...parts, network, chain, store: intents, observe }),
    fixed: parts.depositSource,
    blockCredits: parts.blockCredits,
    slotTime: chain,
    clock,
    wallClock: systemClock,
    onFinality,
  })
  return { detection, blocks }
}
