// What a person can do on a page. An action carries how its latest attempt goes, so that what offers it can show it.
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core'
import { useRef, useState } from 'preact/hooks'
import { AskError, ask, type Found, sleep } from '#pay/browser/ask.ts'
import type { TextKey } from '#pay/texts/texts.ts'
import { usePage } from '#pay/views/context.tsx'
import { faultOf } from '#pay/views/faults.ts'

export type Attempt = {
  /** The name of its action. */
  readonly name: string
  /** What is under way; null when nothing is. */
  readonly step: TextKey | null
  /** Why it failed; null when it did not. */
  readonly fault: TextKey | null
  /** How long the service wants to be left alone before the attempt goes on by itself; null when it does not wait. */
  readonly waitSeconds: number | null
}

export type Action = {
  /** Its latest attempt; null when another action was tried later, or the attempt has worked. */
  readonly attempt: Attempt | null
  /** Whether this action, or another one of the page, is under way. */
  readonly isBusy: boolean
  run(): void
}

/** An attempt while it runs. After a later one, or a cancel, it can neither show nor ask anything: both throw. */
export type Running = {
  show(step: TextKey): void
  /** Asks the service. A request beyond a rate limit waits for its time, and is sent again. */
  ask<Result, Variables>(
    document: DocumentTypeDecoration<Result, Variables>,
    variables: Variables,
  ): Promise<Found<Result>>
  isCurrent(): boolean
  /** Rejects when the attempt is no longer the current one. */
  readonly abandoned: Promise<never>
}

export type Actions = {
  readonly latest: Attempt | null
  action(name: string, work: (running: Running) => Promise<void>, first?: TextKey): Action
  /** Ends the current attempt, and shows why. */
  end(fault: TextKey | null): void
}

class Abandoned extends Error {}

const WAIT_SECONDS = 5

/** `otherwise` is the fault that has no words of its own; `onFault` runs after each. */
export function useActions(otherwise: TextKey, onFault: () => void = () => {}): Actions {
  const { site } = usePage()
  const [latest, setLatest] = useState<Attempt | null>(null)
  const current = useRef<{ abandon(): void } | null>(null)

  const start = (name: string, work: (running: Running) => Promise<void>, first: TextKey): void => {
    current.current?.abandon()
    const own = { abandon: () => {} }
    current.current = own
    const abandoned = new Promise<never>((_, reject) => {
      own.abandon = () => reject(new Abandoned('another attempt has begun, or none is wanted'))
    })
    abandoned.catch(() => {})
    const isCurrent = () => current.current === own
    let step: TextKey = first
    const show = (waitSeconds: number | null): void => {
      if (!isCurrent()) throw new Abandoned('this attempt is over')
      setLatest({ name, step, fault: null, waitSeconds })
    }
    const running: Running = {
      isCurrent,
      abandoned,
      show(next) {
        step = next
        show(null)
      },
      async ask(document, variables) {
        for (;;) {
          show(null)
          try {
            return await ask(site.api, document, variables)
          } catch (error) {
            if (!(error instanceof AskError) || error.code !== 'rate_limited') throw error
            const seconds = error.retryAfterSeconds ?? WAIT_SECONDS
            show(seconds)
            await sleep(1_000 * seconds)
          }
        }
      },
    }
    show(null)
    const over = (fault: TextKey | null): void => {
      if (!isCurrent()) return
      current.current = null
      setLatest(fault === null ? null : { name, step: null, fault, waitSeconds: null })
      if (fault !== null) onFault()
    }
    work(running).then(
      () => over(null),
      (error: unknown) => over(faultOf(error, otherwise)),
    )
  }

  return {
    latest,
    action: (name, work, first = 'oneMoment') => ({
      attempt: latest?.name === name ? latest : null,
      // What waits keeps nothing else waiting.
      isBusy: latest !== null && latest.step !== null && latest.waitSeconds === null,
      run: () => start(name, work, first),
    }),
    end(fault) {
      current.current?.abandon()
      current.current = null
      setLatest((known) =>
        known === null || fault === null ? null : { ...known, step: null, fault, waitSeconds: null },
      )
    },
  }
}
