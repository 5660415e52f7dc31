/** The rules of second factors: a user manages the own ones, and an administrator removes the factors of others. */

import type { Config } from '../../base/config/config.ts'
import type { Secrets } from '../../base/security/crypto.ts'
import type { Passwords } from '../../base/security/passwords.ts'
import { AppError, invalidField, notFound, orNotFound, rejectIssues } from '../../contract/errors.ts'
import { type Ctx, type DbScope, type Feature, implement } from '../../kernel/ctx.ts'
import { toNameKey } from '../../net/name-order.ts'
import { buildMissingKeyIssue } from '../../secrets/secrets/secrets.ts'
import { endUserSignIns, findUser, lockAccount, requireCharge } from '../users/account.ts'
import { type Factors, factors, type Passkey, type RegistrationResponse } from './api.ts'
import { consumeChallenge, keepChallenge, purgeChallenges } from './challenges.ts'
import { generateRecoveryCodes, type NewCodes } from './recovery-codes.ts'
import {
  buildRegistrationOptions,
  buildRelyingParty,
  type RelyingParty,
  requireRelyingParty,
  verifyRegistration,
} from './relying-party.ts'
import { hasFactor, type Requirement } from './requirement.ts'
import { buildTotpPlace } from './sealed-totp.ts'
import * as store from './store.ts'
import type { PasskeyRow } from './table.ts'
import { generateTotp, loadMatchStep } from './totp.ts'

export type FactorsOptions = {
  readonly config: Pick<Config, 'publicUrl'>
  readonly secrets: Secrets
  readonly requirement: Requirement
  readonly passwords: Pick<Passwords, 'cost'>
}

/** More than a person has devices. */
const MAX_PASSKEYS = 20
const PURGE_MS = 600_000

const getUserIdOrThrow = ({ caller }: Ctx): string => {
  if (caller.userId === undefined) throw new AppError('UNAUTHORIZED', 'Sign in')
  return caller.userId
}

const getOwnUserOrThrow = async (ctx: Ctx) => {
  const user = await findUser(ctx, getUserIdOrThrow(ctx))
  if (!user) throw new AppError('UNAUTHORIZED', 'Your account is gone')
  return user
}

const toPasskey = ({ id, name, created_at, last_used_at, is_synced }: PasskeyRow): Passkey => ({
  ...{ id, name, created_at, last_used_at },
  is_synced: is_synced === 1,
})

const show = async (ctx: Ctx, { isRequired }: Requirement): Promise<Factors> => {
  const id = getUserIdOrThrow(ctx)
  const totp = await store.findTotp(ctx, id)
  return {
    required: await isRequired(ctx, id),
    totp: totp?.confirmed_at ? { created_at: totp.confirmed_at, last_used_at: totp.last_used_at } : null,
    passkeys: (await store.findPasskeys(ctx, id)).map(toPasskey),
    recovery_codes_left: await store.countCodes(ctx, id),
  }
}

/** Creates codes outside of the transaction, in case the user has none. */
const createCodesIfNone = async (ctx: Ctx, { passwords }: FactorsOptions): Promise<NewCodes | undefined> =>
  (await store.countCodes(ctx, getUserIdOrThrow(ctx))) === 0 ? generateRecoveryCodes(passwords) : undefined

/** Stores the codes unless the user has got some since. @returns the stored codes */
const storeCodes = async (tx: Ctx, userId: string, made: NewCodes | undefined): Promise<string[]> => {
  if (!made || (await store.countCodes(tx, userId)) > 0) return []
  await store.replaceCodes(tx, userId, made)
  return [...made.codes]
}

const buildExistsError = () => new AppError('ALREADY_EXISTS', 'You have an authenticator app; remove it first')

const createTotp = async (ctx: Ctx, { secrets, config }: FactorsOptions) => {
  if (!secrets.isEnabled) rejectIssues([buildMissingKeyIssue('secret')])
  const { id: userId, username } = await getOwnUserOrThrow(ctx)
  const made = await generateTotp(username, config.publicUrl === undefined ? undefined : new URL(config.publicUrl).host)
  return async (tx: Ctx) => {
    await lockAccount(tx, userId)
    if ((await store.findTotp(tx, userId))?.confirmed_at) throw buildExistsError()
    await store.removeTotp(tx, userId)
    const id = Bun.randomUUIDv7()
    const secret = secrets.seal(buildTotpPlace(id), made.secret)
    const times = { created_at: tx.now, confirmed_at: null, last_used_at: null }
    await store.insertTotp(tx, { id, user_id: userId, secret, last_step: -1, ...times })
    return made
  }
}

const confirmTotp = async (ctx: Ctx, options: FactorsOptions, code: string) => {
  const userId = getUserIdOrThrow(ctx)
  const matchStep = await loadMatchStep()
  const validateCode = async (scope: Ctx) => {
    const totp = await store.findTotp(scope, userId)
    if (!totp) throw invalidField('code', 'belongs to no authenticator app; create a secret first')
    if (totp.confirmed_at) throw buildExistsError()
    const step = matchStep(code, options.secrets.open(buildTotpPlace(totp.id), totp.secret), Date.parse(scope.now))
    if (step === undefined) throw invalidField('code', 'is wrong, or no longer the present one')
    return { totp, step }
  }
  // Before the recovery codes, which take a second.
  await validateCode(ctx)
  const made = await createCodesIfNone(ctx, options)
  return async (tx: Ctx) => {
    await lockAccount(tx, userId)
    const { totp, step } = await validateCode(tx)
    await store.updateTotp(tx, totp.id, { last_step: step, confirmed_at: tx.now })
    const recovery_codes = await storeCodes(tx, userId, made)
    return { recovery_codes }
  }
}

const createPasskeyOptions = async (ctx: Ctx, party: RelyingParty | undefined) => {
  const present = requireRelyingParty(party)
  const user = await getOwnUserOrThrow(ctx)
  const options = await buildRegistrationOptions(present, { ...user, passkeys: await store.findPasskeys(ctx, user.id) })
  return async (tx: Ctx) => {
    const challenge_id = await keepChallenge(tx, options.challenge, { purpose: 'register', user_id: user.id })
    return { challenge_id, options: { ...options } }
  }
}

/** @throws AppError ALREADY_EXISTS for a name of another passkey of the user */
const requireFreeName = (passkeys: readonly PasskeyRow[], id: string, name: string): void => {
  if (passkeys.some((one) => one.id !== id && one.name_key === toNameKey(name)))
    throw new AppError('ALREADY_EXISTS', `You have a passkey called "${name}"`)
}

type Registering = { readonly challenge_id: string; readonly name: string; readonly response: RegistrationResponse }

const createPasskey = async (
  ctx: Ctx,
  { party, ...options }: FactorsOptions & { readonly party: RelyingParty | undefined },
  { challenge_id, name, response }: Registering,
) => {
  const present = requireRelyingParty(party)
  const userId = getUserIdOrThrow(ctx)
  const challenge = await ctx.write((tx) =>
    consumeChallenge(tx, challenge_id, { purpose: 'register', user_id: userId }),
  )
  if (challenge === undefined) throw invalidField('response', 'answers no open challenge; begin again')
  const credential = await verifyRegistration(present, { challenge, response }).catch((error: unknown) => {
    ctx.log.info('a new passkey was refused', { request_id: ctx.requestId, error })
    throw invalidField('response', 'is no registration of a passkey at this server, with user verification')
  })
  const made = await createCodesIfNone(ctx, options)
  return async (tx: Ctx) => {
    await lockAccount(tx, userId)
    const passkeys = await store.findPasskeys(tx, userId)
    if (passkeys.length >= MAX_PASSKEYS)
      throw new AppError('LIMIT_REACHED', `A user has at most ${MAX_PASSKEYS} passkeys; remove an unused one`)
    requireFreeName(passkeys, '', name)
    if (await store.findPasskeyByCredential(tx, credential.credential_id))
      throw new AppError('ALREADY_EXISTS', 'This passkey is registered already')
    const id = Bun.randomUUIDv7()
    const named = { id, user_id: userId, name, name_key: toNameKey(name) }
    const row: PasskeyRow = { ...named, ...credential, created_at: tx.now, last_used_at: null }
    await store.insertPasskey(tx, row)
    const recovery_codes = await storeCodes(tx, userId, made)
    return { passkey: toPasskey(row), recovery_codes }
  }
}

/** Locks the account, and returns the own passkey. @throws AppError NOT_FOUND, also for that of another user */
const lockPasskey = async (ctx: Ctx, id: string): Promise<PasskeyRow> => {
  await lockAccount(ctx, getUserIdOrThrow(ctx))
  const passkey = await store.findPasskey(ctx, id)
  if (passkey?.user_id !== getUserIdOrThrow(ctx)) throw notFound('passkey', id)
  ctx.precondition(toPasskey(passkey))
  return passkey
}

const renamePasskey = async (ctx: Ctx, { id, name }: { id: string; name: string }): Promise<Passkey> => {
  const passkey = await lockPasskey(ctx, id)
  requireFreeName(await store.findPasskeys(ctx, passkey.user_id), id, name)
  await store.renamePasskey(ctx, id, name)
  return toPasskey({ ...passkey, name })
}

/** After a removal. @throws AppError LAST_FACTOR if the user must have a factor, and this was the last one */
const completeRemoval = async (ctx: Ctx, { isMissing }: Requirement): Promise<void> => {
  const userId = getUserIdOrThrow(ctx)
  if (await isMissing(ctx, userId))
    throw new AppError('LAST_FACTOR', 'Your role requires a second factor, and this is the last one; add another first')
  if (!(await hasFactor(ctx, userId))) await clearCodes(ctx, userId)
}

/** Codes can only replace a factor, so none are left after the last one. */
const clearCodes = async (scope: DbScope, userId: string): Promise<void> => {
  await store.removeCodes(scope, userId)
  await store.clearFailures(scope, userId)
}

/** Removes all factors of a user, and ends the sessions and OAuth tokens. */
export const resetFactors = async (scope: DbScope, userId: string): Promise<void> => {
  await store.removeTotp(scope, userId)
  for (const { id } of await store.findPasskeys(scope, userId)) await store.removePasskey(scope, id)
  await clearCodes(scope, userId)
  await endUserSignIns(scope, userId)
}

const reset = async (ctx: Ctx, id: string): Promise<void> => {
  await lockAccount(ctx, id)
  const user = orNotFound(await findUser(ctx, id), 'user', id)
  // One's own are removed in a fresh session, and the last one of a required factor stays.
  if (id === ctx.caller.userId)
    throw new AppError('FORBIDDEN', 'Remove your own second factors on the page of your account')
  await requireCharge(ctx, user)
  await resetFactors(ctx, id)
}

const replaceRecoveryCodes = async (ctx: Ctx, { passwords }: FactorsOptions) => {
  const userId = getUserIdOrThrow(ctx)
  const made = await generateRecoveryCodes(passwords)
  return async (tx: Ctx) => {
    await lockAccount(tx, userId)
    if (!(await hasFactor(tx, userId)))
      throw new AppError('INVALID_INPUT', 'Recovery codes replace a second factor; set one up first')
    await store.replaceCodes(tx, userId, made)
    return { recovery_codes: [...made.codes] }
  }
}

export const factorsFeature = (options: FactorsOptions): Feature => {
  const { requirement, config } = options
  const party = buildRelyingParty(config)
  return {
    operations: implement(factors, {
      show: (ctx) => show(ctx, requirement),
      createTotp: { prepare: (ctx) => createTotp(ctx, options) },
      confirmTotp: { prepare: (ctx, { code }) => confirmTotp(ctx, options, code) },
      deleteTotp: async (ctx) => {
        await lockAccount(ctx, getUserIdOrThrow(ctx))
        if (!(await store.findTotp(ctx, getUserIdOrThrow(ctx))))
          throw new AppError('NOT_FOUND', 'You have no authenticator app')
        await store.removeTotp(ctx, getUserIdOrThrow(ctx))
        await completeRemoval(ctx, requirement)
      },
      passkeyOptions: { prepare: (ctx) => createPasskeyOptions(ctx, party) },
      createPasskey: { prepare: (ctx, input) => createPasskey(ctx, { ...options, party }, input) },
      renamePasskey,
      deletePasskey: async (ctx, { id }) => {
        await lockPasskey(ctx, id)
        await store.removePasskey(ctx, id)
        await completeRemoval(ctx, requirement)
      },
      recoveryCodes: { prepare: (ctx) => replaceRecoveryCodes(ctx, options) },
      reset: (ctx, { id }) => reset(ctx, id),
    }),
    jobs: [
      {
        name: 'factors.purge',
        summary: 'Deletes expired challenges of passkeys',
        everyMs: PURGE_MS,
        run: purgeChallenges,
      },
    ],
  }
}
