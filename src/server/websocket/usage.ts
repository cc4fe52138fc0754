// What one websocket counts against: its address, until its client proves a credential. Strangers share an address, for
// example behind a proxy, and do not use up what a proven client has.
import type { Addresses, AddressUse } from './budget.ts'

type Buffering = { readonly bufferedBytes: number }

export class Usage {
  readonly #addresses: Addresses
  readonly #address: string
  #use: AddressUse
  #sender: AddressUse
  #connection: Buffering | null = null
  #isOpen = false

  constructor(addresses: Addresses, address: string, now: number) {
    this.#addresses = addresses
    this.#address = address
    this.#use = addresses.of(address, now)
    this.#sender = this.#use
  }

  /** The entry that has the socket, the operations and the unread bytes. */
  get use(): AddressUse {
    return this.#use
  }

  /** Counts a message. Returns false when the address, or the holder of the proven credential, is over its allowance. */
  spend(bytes: number, now: number): boolean {
    return this.#sender.budget.spend(bytes, now)
  }

  /** Counts the socket. */
  open(): void {
    if (this.#isOpen) return
    this.#isOpen = true
    this.#enter()
  }

  /** Counts the unread bytes of the connection. */
  attach(connection: Buffering): void {
    this.#connection = connection
    this.#use.connections.add(connection)
  }

  detach(): void {
    if (this.#connection !== null) this.#use.connections.delete(this.#connection)
    this.#connection = null
  }

  close(): void {
    this.detach()
    if (this.#isOpen) this.#leave()
    this.#isOpen = false
  }

  /**
   * Counts the connection against the business of a proven key from now on, apart from its address. Returns false, and
   * changes nothing, when the business has as many connections at this address as it may have.
   */
  moveToBusiness(accountId: string, maxConnections: number, now: number): boolean {
    const own = this.#addresses.of(this.#address, now, accountId)
    if (own === this.#use) return true
    if (own.sockets >= maxConnections) return false
    if (this.#isOpen) this.#leave()
    if (this.#connection !== null) {
      this.#use.connections.delete(this.#connection)
      own.connections.add(this.#connection)
    }
    this.#use = own
    this.#sender = own
    if (this.#isOpen) this.#enter()
    return true
  }

  /** Counts messages against the holder of the first credential that is proved. The rest stays with the address. */
  countMessagesFor(holder: string, now: number): void {
    if (!this.#isOpen || this.#sender !== this.#use) return
    const own = this.#addresses.of(this.#address, now, holder)
    if (own === this.#use) return
    this.#sender = own
    own.senders++
  }

  #enter(): void {
    this.#use.sockets++
    if (this.#sender !== this.#use) this.#sender.senders++
  }

  #leave(): void {
    this.#use.sockets--
    if (this.#sender !== this.#use) this.#sender.senders--
  }
}
