// Every {base_url} endpoint, in the order of the spec's section "Endpoints".
import type { Endpoint } from '#rest/endpoint.ts'
import { cancelCheckout } from '#rest/intents/cancel.ts'
import { cancelByIndex } from '#rest/intents/cancel-by-index.ts'
import { createIntent } from '#rest/intents/create.ts'
import { updateDetails } from '#rest/intents/details.ts'
import { findIntent } from '#rest/intents/find.ts'
import { quote } from '#rest/intents/quote.ts'
import { selectToken } from '#rest/intents/select-token.ts'
import { checkoutStatus } from '#rest/intents/status.ts'
import { statusByIndex } from '#rest/intents/status-by-index.ts'
import { sweep } from '#rest/intents/sweep.ts'
import { allowedTokens } from '#rest/platform/allowed-tokens.ts'
import { config } from '#rest/platform/config.ts'
import { health } from '#rest/platform/health.ts'

export const ROUTES: readonly Endpoint[] = [
  // Public
  config,
  health,
  allowedTokens,
  // Payments, by API key
  createIntent,
  findIntent,
  statusByIndex,
  sweep,
  cancelByIndex,
  // Checkout, by client secret
  quote,
  selectToken,
  checkoutStatus,
  updateDetails,
  cancelCheckout,
]
