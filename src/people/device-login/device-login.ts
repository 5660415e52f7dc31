/** The sign-in of a device that has no browser, in the shape of RFC 8628. */
import { randomInt } from 'node:crypto'
import type { Config } from '../../base/config/config.ts'
import { createSecret, hashSecret } from '../../base/security/secret-token.ts'
import { AppError, type ErrorCode, notFound, toErrorBody } from '../../contract/errors.ts'
import { Key } from '../../contract/fields/fields.ts'
import { parse } from '../../contract/validate.ts'
import type { RawAudit } from '../../kernel/changes/audit.ts'
import type { Ctx, Feature } from '../../kernel/ctx.ts'
import { parseJson, readBytes, requireJsonType } from '../../surfaces/http/body/body.ts'
import { decodeSegment } from '../../surfaces/http/route-table.ts'
import { createLoginKey } from '../keys/keys.ts'
import { findAccount, findUser } from '../users/account.ts'
import {
  DeviceDecision,
  type DeviceKey,
  type DeviceLogin,
  DeviceLoginDraft,
  DeviceTokenRequest,
  deviceLoginRoutes,
  type WaitingDevice,
} from './api.ts'
import * as store from './store.ts'
import type { DeviceCodeRow } from './table.ts'

type Options = { readonly config: Pick<Config, 'publicUrl'> }

const LIFE_S = 600
const INTERVAL_S = 5
const KEY_LIFE_MS = 30 * 24 * 3_600_000
const MAX_BODY_BYTES = 16 * 1024
/** RFC 8628 section 6.1: without vowels a code is no word, and without digits it is typed on one keyboard. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const HALF = 4

const generateUserCode = (): string => {
  const half = () => Array.from({ length: HALF }, () => LETTERS[randomInt(LETTERS.length)]).join('')
  return `${half()}-${half()}`
}

/** Returns the stored form of a code as people type it. @example normalizeUserCode('bcdf ghjk') // 'BCDF-GHJK' */
export const normalizeUserCode = (text: string): string => {
  const letters = text.toUpperCase().replace(/[^A-Z]/g, '')
  return `${letters.slice(0, HALF)}-${letters.slice(HALF)}`
}

const parseUserCode = (url: string): string =>
  normalizeUserCode(Key.parse(decodeSegment(new URL(url).pathname.split('/')[4] ?? '')))

const readBody = async (request: Request): Promise<object> => {
  requireJsonType(request)
  const body = parseJson(await readBytes(request, MAX_BODY_BYTES))
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new AppError('INVALID_JSON', 'The body must be a JSON object')
  return body
}

const UNCACHED = { headers: { 'Cache-Control': 'no-store' } }

const addToNow = (ctx: Ctx, ms: number): string => new Date(Date.parse(ctx.now) + ms).toISOString()

const start = async (ctx: Ctx, request: Request, { config }: Options): Promise<Response> => {
  const { client } = parse(DeviceLoginDraft, await readBody(request))
  const deviceCode = createSecret()
  const user_code = generateUserCode()
  await ctx.write((tx) =>
    store.insert(tx, {
      ...{ code_hash: hashSecret(deviceCode), user_code, client, ip_address: ctx.client },
      ...{ created_at: ctx.now, expires_at: addToNow(ctx, LIFE_S * 1000), polled_at: ctx.now },
      ...{ state: 'pending', user_id: null, user_generation: null },
    }),
  )
  const page = `${config.publicUrl ?? new URL(request.url).origin}/device`
  const answer: DeviceLogin = {
    device_code: deviceCode,
    user_code,
    verification_uri: page,
    verification_uri_complete: `${page}?code=${user_code}`,
    expires_in: LIFE_S,
    interval: INTERVAL_S,
  }
  return Response.json(answer, UNCACHED)
}

const getWaitingOrThrow = async (ctx: Ctx, userCode: string): Promise<DeviceCodeRow> => {
  const row = await store.findWaiting(ctx, userCode, ctx.now)
  if (!row) throw notFound('waiting device', userCode)
  return row
}

const show = async (ctx: Ctx, request: Request): Promise<Response> => {
  const { user_code, client, ip_address, created_at, expires_at } = await getWaitingOrThrow(
    ctx,
    parseUserCode(request.url),
  )
  return Response.json({ user_code, client, ip_address, created_at, expires_at } satisfies WaitingDevice, UNCACHED)
}

const handleDecision = async (ctx: Ctx, request: Request, audit: RawAudit<never>): Promise<Response> => {
  const userCode = parseUserCode(request.url)
  const { allow } = parse(DeviceDecision, await readBody(request))
  const { userId = '' } = ctx.caller
  await ctx.write(async (tx) => {
    const { code_hash, client, ip_address } = await getWaitingOrThrow(tx, userCode)
    audit.note({ changes: { client, ip_address, allow } })
    const account = await findAccount(tx, userId)
    const decision = {
      state: allow ? 'allowed' : 'denied',
      user_id: userId,
      user_generation: account?.generation ?? null,
    }
    if (!(await store.storeDecision(tx, { code_hash, decision }))) throw notFound('waiting device', userCode)
  })
  await audit.succeeded()
  return new Response(null, { status: 204 })
}

type Outcome = { readonly made: DeviceKey } | { readonly code: ErrorCode; readonly message: string }

const EXPIRED: Outcome = { code: 'EXPIRED_TOKEN', message: 'The device code is unknown, used or expired' }

/** Returns errors instead of throwing them, because they change the row. */
const resolveOutcome = async (ctx: Ctx, codeHash: string): Promise<Outcome> => {
  const row = await store.lock(ctx, codeHash)
  if (!row || row.expires_at <= ctx.now) return EXPIRED
  const isEarly = Date.parse(ctx.now) - Date.parse(row.polled_at) < INTERVAL_S * 1000
  await store.recordPoll(ctx, codeHash, ctx.now)
  if (isEarly) return { code: 'SLOW_DOWN', message: `Ask again after ${INTERVAL_S} seconds` }
  if (row.state === 'pending') return { code: 'AUTHORIZATION_PENDING', message: 'The user has not decided yet' }
  await store.remove(ctx, codeHash)
  if (row.state !== 'allowed') return { code: 'ACCESS_DENIED', message: 'The user has denied the sign-in' }
  const account = row.user_id === null ? undefined : await findAccount(ctx, row.user_id)
  // Signed out everywhere, deactivated or deleted since.
  if (!account?.isActive || account.generation !== row.user_generation) return EXPIRED
  const user = await findUser(ctx, account.id)
  if (!user) return EXPIRED
  const expires_at = addToNow(ctx, KEY_LIFE_MS)
  const { id: key_id, key } = await createLoginKey(ctx, { userId: user.id, name: row.client, expires_at })
  return { made: { key, key_id, user, expires_at } }
}

const handleToken = async (ctx: Ctx, request: Request, audit: RawAudit<never>): Promise<Response> => {
  const { device_code } = parse(DeviceTokenRequest, await readBody(request))
  const outcome = await ctx.write((tx) => resolveOutcome(tx, hashSecret(device_code)))
  // Not thrown: the trail would have an entry for each time that a device asks.
  if ('code' in outcome) {
    const error = new AppError(outcome.code, outcome.message)
    return Response.json(toErrorBody(error), { status: error.status, ...UNCACHED })
  }
  const { key_id, user, expires_at } = outcome.made
  audit.note({
    userId: user.id,
    username: user.username,
    resourceId: key_id,
    changes: { method: 'device', expires_at },
  })
  await audit.succeeded()
  return Response.json(outcome.made, UNCACHED)
}

const PURGE_MS = 600_000
const PURGE_BATCH = 500

const removeExpired = async (ctx: Ctx): Promise<void> => {
  for (;;) {
    const codes = await store.findExpired(ctx, ctx.now, PURGE_BATCH)
    if (codes.length > 0) await ctx.write((tx) => store.removeAll(tx, codes))
    if (codes.length < PURGE_BATCH) return
  }
}

export const deviceLoginFeature = (options: Options): Feature => ({
  operations: [],
  routes: [
    { route: deviceLoginRoutes.start, handler: (ctx, request) => start(ctx, request, options) },
    { route: deviceLoginRoutes.show, handler: show },
    { route: deviceLoginRoutes.decide, handler: handleDecision },
    { route: deviceLoginRoutes.token, handler: handleToken },
  ],
  jobs: [
    {
      name: 'device-login.purge',
      summary: 'Deletes sign-ins of devices that have expired',
      everyMs: PURGE_MS,
      runsAtStart: true,
      run: removeExpired,
    },
  ],
})
