// The signature of a wallet on a transaction that can land for half a minute: the time that is left, and the next transaction, which
// is prepared silently when that time is over. docs/billing.md, "Half a minute to sign".
import { useRef, useState } from 'preact/hooks'
import { AskError } from '#pay/browser/ask.ts'
import {
  fromBase64,
  type Outcome,
  sendsByItself,
  signTransaction,
  type Wallet,
  type WalletAccount,
} from '#pay/browser/wallets.ts'
import type { Running } from '#pay/views/actions.ts'
import { usePage } from '#pay/views/context.tsx'
import { useSecondsLeft } from './use-live.ts'

/** What the service answers. The transaction is in base64; null when a text is signed, or nothing. */
type Prepared = {
  readonly transaction: string | null
  readonly expiresInSeconds: number | null
  /** Another app whose permission the transaction takes away; null for none. */
  readonly replacesDelegate: string | null
}

/** `until`: when the transaction can no longer land, as `performance.now()` counts. */
export type Offer<Reply> = { readonly reply: Reply; readonly until: number }

/** What is prepared, under a name of its own: another wallet or another wish is another offer. */
type Source<Reply> = { readonly name: string; prepare(): Promise<Reply> }

type Signature<Reply> = {
  readonly source: Source<Reply>
  readonly running: Pick<Running, 'abandoned' | 'isCurrent'>
  /** `isOver`: the time to sign was over; otherwise the person has stopped waiting. */
  readonly late: (outcome: Outcome, isOver: boolean) => unknown
}

export type Signing<Reply> = {
  /** null while no wallet is asked for its signature on a transaction. */
  readonly secondsLeft: number | null
  /**
   * Returns what was prepared silently while there is time to sign it, and otherwise prepares. Throws `replaces_delegate` once for
   * each permission that the signature takes away, so that the person knows before the wallet asks.
   */
  offer(source: Source<Reply>): Promise<Offer<Reply>>
  /**
   * Returns what the wallet has signed. Throws WalletRefused, and `blockhash_expired` when the time is over, or `may_arrive` where the
   * wallet may have sent it. `late` gets what it signs after all.
   */
  sign(
    by: { readonly wallet: Wallet; readonly account: WalletAccount },
    offer: Offer<Reply>,
    how: Signature<Reply>,
  ): Promise<Outcome>
}

/** With less time no person signs, and the service offers no transaction again. */
const LEAST_TO_SIGN_MS = 5_000
/** Until the service shows what became of a transaction, after the last block in which it could land. */
export const SHOWN_WITHIN_MS = 15_000

/** Returns the milliseconds after which a transaction that does not show has not landed. */
export const shownWithin = ({ until }: Pick<Offer<unknown>, 'until'>): number =>
  Math.max(0, until - performance.now()) + SHOWN_WITHIN_MS

export function useSigning<Reply extends Prepared>(): Signing<Reply> {
  const { site } = usePage()
  const [seconds, setSeconds] = useState<number | null>(null)
  const secondsLeft = useSecondsLeft(seconds ?? 0)
  const warned = useRef<string | null>(null)
  const next = useRef<{ readonly name: string; readonly offer: Promise<Offer<Reply> | null> } | null>(null)

  const prepare = async (source: Source<Reply>): Promise<Offer<Reply>> => {
    const reply = await source.prepare()
    return { reply, until: performance.now() + 1_000 * (reply.expiresInSeconds ?? 0) }
  }

  return {
    secondsLeft: seconds === null ? null : secondsLeft,

    async offer(source) {
      const kept = next.current
      next.current = null
      const offer = kept?.name === source.name ? await kept.offer : null
      const made = offer !== null && msLeft(offer) > LEAST_TO_SIGN_MS ? offer : await prepare(source)
      const { replacesDelegate } = made.reply
      const loss = `${source.name} ${replacesDelegate}`
      if (replacesDelegate === null || warned.current === loss) return made
      warned.current = loss
      next.current = { name: source.name, offer: Promise.resolve(made) }
      throw new AskError('replaces_delegate', 'the signature takes a permission away')
    },

    async sign({ wallet, account }, offer, { source, late, running }) {
      const { transaction } = offer.reply
      if (transaction === null) throw new Error('nothing to sign')
      setSeconds(Math.ceil(msLeft(offer) / 1_000))
      const signed = signTransaction(wallet, account, fromBase64(transaction), site.chain)
      let timer: ReturnType<typeof setTimeout> | undefined
      const over = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          // What prepares is a part of the attempt, which is over with its failure.
          next.current = { name: source.name, offer: prepare(source).catch(() => null) }
          reject(new AskError(sendsByItself(wallet) ? 'may_arrive' : 'blockhash_expired', 'the time to sign is over'))
        }, msLeft(offer))
      })
      let isAnswered = false
      const answered = signed.finally(() => {
        isAnswered = true
      })
      try {
        return await Promise.race([answered, over, running.abandoned])
      } catch (error) {
        if (!isAnswered) {
          const isOver = running.isCurrent()
          signed.then((outcome) => late(outcome, isOver)).catch(() => {})
        }
        throw error
      } finally {
        clearTimeout(timer)
        setSeconds(null)
      }
    },
  }
}

const msLeft = ({ until }: Pick<Offer<unknown>, 'until'>): number => until - performance.now()
