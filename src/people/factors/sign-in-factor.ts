/** Second factors at a sign-in, and sign-ins with only a passkey: docs/decisions/sign-in.md#second-factors. */

import type { Config } from '../../base/config/config.ts'
import { SealedValueError, type Secrets } from '../../base/security/crypto.ts'
import { AppError, type FieldIssue } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import type { PasskeyOptions, ShownPasskey } from './api.ts'
import { consumeChallenge, keepChallenge } from './challenges.ts'
import { hashRecoveryCode } from './recovery-codes.ts'
import {
  buildAuthenticationOptions,
  buildRelyingParty,
  requireRelyingParty,
  verifyAuthentication,
} from './relying-party.ts'
import { buildTotpPlace } from './sealed-totp.ts'
import * as store from './store.ts'
import type { TotpRow } from './table.ts'
import { loadMatchStep, type MatchStep } from './totp.ts'

/** The factor that a sign-in shows: at most one of these. */
export type ShownFactor = {
  readonly totp?: string | undefined
  readonly recovery_code?: string | undefined
  readonly passkey?: ShownPasskey | undefined
}

/** A passkey with a valid signature. It is used up in the transaction of the sign-in. */
export type ProvenPasskey = {
  readonly id: string
  readonly userId: string
  readonly before: number
  readonly counter: number
}

/** Runs in the transaction that signs the user in, with the user locked. @returns the refusal, if any; it counts failures */
export type DecideFactor = (tx: Ctx, userId: string) => Promise<AppError | undefined>

export type SignInFactors = {
  /** Prepares the decision outside of transactions. */
  readonly prepare: (ctx: Ctx, userId: string, shown: ShownFactor) => Promise<DecideFactor>
  /** Returns the challenge of a sign-in. @throws AppError VALIDATION_ERROR without PUBLIC_URL */
  readonly passkeyOptions: (ctx: Ctx) => Promise<PasskeyOptions>
  /** Verifies an answer to a challenge. Undefined unless a passkey of a user has signed it. */
  readonly provePasskey: (ctx: Ctx, shown: ShownPasskey) => Promise<ProvenPasskey | undefined>
  /** Records the use of a proven passkey. @returns false if another sign-in has used it in between */
  readonly consumePasskey: (tx: Ctx, proven: ProvenPasskey) => Promise<boolean>
  /** Returns true if there is a passkey that can sign in. */
  readonly hasPasskeys: (ctx: Ctx) => Promise<boolean>
}

/** After this many wrong factors in a row, codes of the user are refused for a while. */
const MAX_FAILURES = 10
const BLOCK_MS = 15 * 60_000

type Options = { readonly config: Pick<Config, 'publicUrl'>; readonly secrets: Secrets }

/** The factor that was shown, with the slow part of its check done. */
type Prepared =
  | { readonly kind: 'none' }
  | { readonly kind: 'totp'; readonly code: string; readonly stepOf: MatchStep }
  | { readonly kind: 'recovery_code'; readonly hash: string | undefined }
  | { readonly kind: 'passkey'; readonly proven: ProvenPasskey | undefined }

const MESSAGES = {
  totp: 'the code of the authenticator app',
  passkey: 'the answer of a passkey to a challenge of POST /api/auth/passkey/options',
  recovery_code: 'one of the recovery codes',
} as const

const buildWrongFactorError = () => new AppError('INVALID_CREDENTIALS', 'The second factor is wrong')

const buildBlockedError = (until: string) =>
  new AppError('LOGIN_RATE_LIMIT_EXCEEDED', 'Ten codes were wrong: codes are refused for 15 minutes', {
    retryAt: new Date(until),
  })

/** Returns the instant until which codes are refused, if it is in the future. */
const findBlockedUntil = async (tx: Ctx, userId: string): Promise<string | undefined> => {
  const until = (await store.findFailures(tx, userId))?.blocked_until
  return until && until > tx.now ? until : undefined
}

const countFailure = async (tx: Ctx, user_id: string): Promise<void> => {
  const before = await store.findFailures(tx, user_id)
  if (before?.blocked_until && before.blocked_until > tx.now) return
  // A block that is over starts a new count.
  const failures = (before && before.blocked_until === null ? before.failures : 0) + 1
  const isOver = failures >= MAX_FAILURES
  const blocked_until = isOver ? new Date(Date.parse(tx.now) + BLOCK_MS).toISOString() : null
  await store.setFailures(tx, { user_id, failures, blocked_until })
}

export const createSignInFactors = ({ config, secrets }: Options): SignInFactors => {
  const party = buildRelyingParty(config)

  const provePasskey: SignInFactors['provePasskey'] = async (ctx, { challenge_id, response }) => {
    const challenge = await ctx.write((tx) => consumeChallenge(tx, challenge_id, { purpose: 'sign-in', user_id: null }))
    const passkey = await store.findPasskeyByCredential(ctx, response.id)
    if (!party || challenge === undefined || !passkey) return undefined
    try {
      const counter = await verifyAuthentication(party, { challenge, response, passkey })
      return { id: passkey.id, userId: passkey.user_id, before: Number(passkey.counter), counter }
    } catch (error) {
      ctx.log.info('a passkey was refused', { request_id: ctx.requestId, passkey_id: passkey.id, error })
      return undefined
    }
  }

  const prepareFactor = async (ctx: Ctx, userId: string, shown: ShownFactor): Promise<Prepared> => {
    if (shown.totp !== undefined) return { kind: 'totp', code: shown.totp, stepOf: await loadMatchStep() }
    if (shown.recovery_code !== undefined) {
      const salt = await store.findSalt(ctx, userId)
      const hash = salt === undefined ? undefined : await hashRecoveryCode(shown.recovery_code, salt)
      return { kind: 'recovery_code', hash }
    }
    if (shown.passkey !== undefined) return { kind: 'passkey', proven: await provePasskey(ctx, shown.passkey) }
    return { kind: 'none' }
  }

  const consumePasskey: SignInFactors['consumePasskey'] = (tx, { id, before, counter }) =>
    store.recordPasskeyUse(tx, { id, before, counter, at: tx.now })

  const acceptTotp = async (tx: Ctx, totp: TotpRow, { code, stepOf }: Extract<Prepared, { kind: 'totp' }>) => {
    const step = stepOf(code, secrets.open(buildTotpPlace(totp.id), totp.secret), Date.parse(tx.now))
    // RFC 6238 section 5.2: a code is accepted once.
    if (step === undefined || step <= totp.last_step) return false
    await store.updateTotp(tx, totp.id, { last_step: step, last_used_at: tx.now })
    return true
  }

  /** Checks and uses up the shown factor. */
  const isRight = async (tx: Ctx, userId: string, shown: Prepared, totp: TotpRow | undefined): Promise<boolean> => {
    switch (shown.kind) {
      case 'none':
        return false
      case 'totp':
        return totp !== undefined && (await acceptTotp(tx, totp, shown))
      case 'recovery_code':
        return shown.hash !== undefined && (await store.takeCode(tx, userId, shown.hash))
      case 'passkey':
        return shown.proven?.userId === userId && (await consumePasskey(tx, shown.proven))
    }
  }

  const decide = async (tx: Ctx, userId: string, shown: Prepared): Promise<AppError | undefined> => {
    const found = await store.findTotp(tx, userId)
    const totp = found?.confirmed_at ? found : undefined
    const hasPasskey = (await store.findPasskeys(tx, userId)).length > 0
    if (!totp && !hasPasskey) return undefined
    if (shown.kind === 'none') {
      const fields = [
        ...(totp ? (['totp'] as const) : []),
        ...(hasPasskey ? (['passkey'] as const) : []),
        ...((await store.countCodes(tx, userId)) > 0 ? (['recovery_code'] as const) : []),
      ]
      const details: FieldIssue[] = fields.map((field) => ({ field, message: MESSAGES[field] }))
      return new AppError('SECOND_FACTOR_REQUIRED', 'A second factor is needed as well', { details })
    }
    const until = shown.kind === 'passkey' ? undefined : await findBlockedUntil(tx, userId)
    if (until !== undefined) return buildBlockedError(until)
    if (!(await isRight(tx, userId, shown, totp))) {
      await countFailure(tx, userId)
      return buildWrongFactorError()
    }
    await store.clearFailures(tx, userId)
    return undefined
  }

  return {
    prepare: async (ctx, userId, shown) => {
      const factor = await prepareFactor(ctx, userId, shown)
      return async (tx) => {
        try {
          return await decide(tx, userId, factor)
        } catch (cause) {
          if (!(cause instanceof SealedValueError)) throw cause
          const message = 'Codes of authenticator apps cannot be checked: the ENCRYPTION_KEY of the server has changed'
          return new AppError('UNAVAILABLE', message, { cause })
        }
      }
    },
    passkeyOptions: async (ctx) => {
      const options = await buildAuthenticationOptions(requireRelyingParty(party))
      const of = { purpose: 'sign-in', user_id: null } as const
      const challenge_id = await ctx.write((tx) => keepChallenge(tx, options.challenge, of))
      return { challenge_id, options: { ...options } }
    },
    provePasskey,
    consumePasskey,
    hasPasskeys: async (ctx) => party !== undefined && (await store.hasPasskeys(ctx)),
  }
}
