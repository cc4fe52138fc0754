// What a resolver of the operator's schema is given. The type proves who asks: no other caller has such a context.
import type { Caller, Gate } from '#graphql/context.ts'
import type { OperatorPrincipal } from '#graphql/principal.ts'
import type { Services } from '#services/services.ts'

/** All that no client secret is needed for. */
export type OperatorServices = Omit<Services, 'intents'>

/** Made once, shared by every request. */
export type OperatorEdge = Gate<OperatorPrincipal> & { readonly services: OperatorServices }

export type OperatorContext = Caller<OperatorPrincipal> & { readonly services: OperatorServices }
