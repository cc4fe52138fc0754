// What pages read and change. A refusal is a fault, which the page shows in its place.
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core'
import { useQuery, useSubscription } from '@urql/preact'
import { useContext, useEffect, useRef, useState } from 'preact/hooks'
import { client, onConnection, readAgain } from '#dashboard/browser/client.ts'
import { type Fault, faultOf, lacksSession, NO_ANSWER } from '#dashboard/browser/fault.ts'
import { randomKey } from '#dashboard/browser/random.ts'
import { StepUp } from '#dashboard/browser/step-up.ts'
import { DashboardChangesDocument } from '#dashboard/documents.generated.ts'
import type { Found } from '#pay/browser/ask.ts'

type Variables = Record<string, unknown>

export type Reading<Result> = {
  /** Null until it is read, and when it is refused. */
  readonly data: Found<Result> | null
  readonly fault: Fault | null
  /** Whether the session has ended. */
  readonly isLoggedOut: boolean
}

/**
 * Reads what a page shows. It is read again after each change and each event of the business. While the service does not answer,
 * and when the session has ended, what was read last stays.
 */
export function useRead<Result, Given extends Variables>(
  document: DocumentTypeDecoration<Result, Given>,
  variables: Given,
  { pause = false } = {},
): Reading<Result> {
  const [{ data, error, operation }] = useQuery<Found<Result>, Variables>({ query: String(document), variables, pause })
  const last = useRef<{ readonly key: number; readonly data: Found<Result> } | null>(null)
  const fault = error === undefined ? null : faultOf(error)
  const isLoggedOut = fault !== null && lacksSession(fault)
  // The frame asks who is logged in, and finds out as well.
  useEffect(() => {
    if (isLoggedOut) readAgain()
  }, [isLoggedOut])
  if (fault === null) {
    if (data !== undefined && operation !== undefined) last.current = { key: operation.key, data }
    return { data: data ?? null, fault: null, isLoggedOut }
  }
  const keeps = isLoggedOut || fault === NO_ANSWER
  if (keeps && last.current !== null && last.current.key === operation?.key)
    return { data: last.current.data, fault: null, isLoggedOut }
  return { data: null, fault, isLoggedOut }
}

export type Change<Given, Result> = {
  /** Resolves to null after a fault. A change that needs a new proof asks for it first. */
  run(variables: Given): Promise<Found<Result> | null>
  readonly isBusy: boolean
  readonly fault: Fault | null
}

export function useChange<Result, Given extends Variables>(
  document: DocumentTypeDecoration<Result, Given>,
): Change<Given, Result> {
  const proveAgain = useContext(StepUp)
  const [state, setState] = useState<{ isBusy: boolean; fault: Fault | null }>({ isBusy: false, fault: null })
  const run = async (variables: Given): Promise<Found<Result> | null> => {
    setState({ isBusy: true, fault: null })
    let asked = await ask(document, variables)
    if ('fault' in asked && asked.fault.code === 'step_up_required' && (await proveAgain()))
      asked = await ask(document, variables)
    if ('fault' in asked) {
      setState({ isBusy: false, fault: asked.fault })
      if (lacksSession(asked.fault)) readAgain()
      return null
    }
    setState({ isBusy: false, fault: null })
    readAgain()
    return asked.data
  }
  return { ...state, run }
}

/**
 * Returns the idempotency key of an input. Sent again as it was, after an answer that was lost, an input creates nothing twice;
 * another input has another key.
 */
export function useIdempotencyKey(): (input: unknown) => string {
  const last = useRef({ input: '', key: '' })
  return (given) => {
    const input = JSON.stringify(given)
    if (last.current.input !== input) last.current = { input, key: randomKey() }
    return last.current.key
  }
}

type Asked<Result> = { readonly data: Found<Result> } | { readonly fault: Fault }

/** Asks for a change. */
export async function ask<Result, Given extends Variables>(
  document: DocumentTypeDecoration<Result, Given>,
  variables: Given,
): Promise<Asked<Result>> {
  const { data, error } = await client.mutation<Found<Result>, Variables>(String(document), variables)
  if (error !== undefined) return { fault: faultOf(error) }
  return data === undefined ? { fault: NO_ANSWER } : { data }
}

/** Reads something once, when a person asks for it. */
export async function readOnce<Result, Given extends Variables>(
  document: DocumentTypeDecoration<Result, Given>,
  variables: Given,
): Promise<Asked<Result>> {
  const options = { requestPolicy: 'network-only' } as const
  const { data, error } = await client.query<Found<Result>, Variables>(String(document), variables, options)
  if (error !== undefined) return { fault: faultOf(error) }
  return data === undefined ? { fault: NO_ANSWER } : { data }
}

/** Reads again what is shown whenever the business has an event. Returns whether the connection is lost. */
export function useLive(): boolean {
  const [isLost, setLost] = useState(false)
  const isFirst = useRef(true)
  useEffect(
    () =>
      onConnection((isOnline) => {
        // The first connection is not lost while it is being made.
        if (isOnline) isFirst.current = false
        setLost(!isOnline && !isFirst.current)
      }),
    [],
  )
  useSubscription({ query: String(DashboardChangesDocument) }, (_before, change) => {
    readAgain()
    return change
  })
  return isLost
}
