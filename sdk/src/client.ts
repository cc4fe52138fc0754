// The client of the service.
import { Call } from './call.ts'
import { type FollowOptions, followEvents, type LoggedEvent } from './follow.ts'
import { Api, type CheckoutStatus, type IntentStatus, type PaymentIntentStatus } from './generated/api.ts'
import type { ClientOptions, RequestOptions } from './options.ts'
import { type WaitOptions, waitFor } from './wait.ts'

export class SolanaPayments extends Api {
  readonly #call: Call

  constructor(options: ClientOptions = {}) {
    const call = new Call(options)
    super(call)
    this.#call = call
  }

  /**
   * Resolves with a payment when it has had the status, such as `swept`; rejects when it ended in another one, with the code
   * `payment_ended`. A backend names the payment by its `derivation_index`, the page of a buyer by the client secret.
   */
  waitFor(index: number, status: IntentStatus, options?: WaitOptions): Promise<PaymentIntentStatus>
  waitFor(clientSecret: string, status: IntentStatus, options?: WaitOptions): Promise<CheckoutStatus>
  waitFor(
    payment: number | string,
    status: IntentStatus,
    options: WaitOptions = {},
  ): Promise<PaymentIntentStatus | CheckoutStatus> {
    return typeof payment === 'number'
      ? waitFor(this.#call, this.#payment(payment), status, options)
      : waitFor(this.#call, this.#checkout(payment), status, options)
  }

  #payment(index: number) {
    return {
      subscription: 'subscription ($index: Int!) { payment: paymentIntentUpdated(index: $index) { status } }',
      variables: { index },
      read: (options: RequestOptions) => this.payments.status({ index }, options),
    }
  }

  #checkout(secret: string) {
    return {
      subscription: 'subscription ($secret: String!) { payment: checkoutUpdated(clientSecret: $secret) { status } }',
      variables: { secret },
      read: (options: RequestOptions) => this.checkout.status({ client_secret: secret }, options),
    }
  }

  /** Yields each event of the business as it happens, with its cursor, over lost connections too. */
  followEvents(options: FollowOptions = {}): AsyncGenerator<LoggedEvent, void, undefined> {
    return followEvents(this.#call, options)
  }

  /** Resolves with the `data` of a GraphQL operation. Throws a SolanaPaymentsError when a field of it is refused. */
  graphql<T>(query: string, variables: object = {}, options?: RequestOptions): Promise<T> {
    return this.#call.graphql(query, variables, options)
  }
}
