// PUT and DELETE /operator/tokens/NETWORK/ASSET/image: the image of a token, by the operator. docs/decisions/requests.md, "Images".
import type { Request, RequestHandler, Response } from 'express'
import { isGivenAsset } from '#core/chain/public-key.ts'
import { type Asset, NETWORKS, type Network, SOL, WRAPPED_SOL_MINT } from '#core/chain/types.ts'
import { ServiceError } from '#core/errors.ts'
import type { Token } from '#core/tokens/token.ts'
import type { Caller } from '#graphql/caller.ts'
import type { OperatorEdge } from '#graphql/operator/builder.ts'
import type { OperatorPrincipal } from '#graphql/principal.ts'
import { Refused } from '#graphql/refused.ts'
import { imageOf } from '#http/body.ts'
import { bodyErrorOf, send } from '#http/replies.ts'

export const TOKEN_IMAGE_ROUTE = '/operator/tokens/:network/:asset/image'

type Work = (request: Request, response: Response, caller: Caller<OperatorPrincipal>) => Promise<Token>

/** Returns the handlers of the route. Each answers with the token, as `GET /allowed-tokens` shows it. */
export function tokenImageHandlers({ identify, uploads, errors, services }: OperatorEdge): {
  readonly put: RequestHandler
  readonly remove: RequestHandler
} {
  const { images } = services
  const handler =
    (work: Work): RequestHandler =>
    async (request, response) => {
      response.locals.route = TOKEN_IMAGE_ROUTE
      const { address, requestId } = response.locals
      const sent = request.headers.authorization ?? null
      try {
        const principal = await identify(sent, address)
        const caller = { principal, sent, address, requestId }
        const asked = { action: `${request.method} ${TOKEN_IMAGE_ROUTE}`, given: request.params, ip: address }
        const token = await services.operatorLog.logged(asked, () => work(request, response, caller))
        send(response, { body: bodyOf(token, images.urlOf(token.imageName)) })
      } catch (error) {
        if (bodyErrorOf(error) !== null) throw error
        throw new Refused(errors.show(error, requestId), { cause: error })
      }
    }
  return {
    put: handler(async (request, response, caller) => {
      const { network, asset } = tokenOf(request)
      const end = await uploads.begin(caller)
      try {
        return await images.setTokenImage(network, asset, await imageOf(request, response))
      } finally {
        end()
      }
    }),
    remove: handler(async (request) => {
      const { network, asset } = tokenOf(request)
      return await images.setTokenImage(network, asset, null)
    }),
  }
}

/** Throws `token_not_found` for a path that names no network or no asset. */
function tokenOf({ params }: Request): { network: Network; asset: Asset } {
  const network = NETWORKS.find((one) => one === params.network)
  const { asset } = params
  if (network === undefined || !isGivenAsset(asset)) throw new ServiceError('token_not_found')
  return { network, asset: asset === WRAPPED_SOL_MINT ? SOL : asset }
}

const bodyOf = ({ mint, isNative, name, ticker, decimals }: Token, imageUrl: string | null) => ({
  mint,
  is_native: isNative,
  name,
  ticker,
  decimals,
  image_url: imageUrl,
})
