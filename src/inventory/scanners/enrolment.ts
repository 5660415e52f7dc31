/** The tokens by which scanners enrol, and the end of their access. */
import { createSecret, hashSecret } from '../../base/security/secret-token.ts'
import { orNotFound } from '../../contract/errors.ts'
import type { Ctx } from '../../kernel/ctx.ts'
import { narrowToListed } from '../../resource/scoped/scoped-db.ts'
import type { Enrolment, Scanner } from './api.ts'
import { rules } from './rules.ts'
import { clearBeat, lockState, setState } from './state-row-store.ts'
import { turn } from './state-store.ts'

/** A prefix for people and secret scanners. */
const ENROLMENT_PREFIX = 'plat_en_'
const VALID_MS = 24 * 60 * 60 * 1000

/** Gives a scanner a new enrolment token. The earlier one is void. */
export const issueToken = async (ctx: Ctx, id: string): Promise<Enrolment> => {
  const token = createSecret(ENROLMENT_PREFIX)
  const enrolment_expires_at = new Date(Date.parse(ctx.now) + VALID_MS).toISOString()
  await setState(ctx, id, { enrolment_hash: hashSecret(token), enrolment_expires_at })
  return { enrolment_token: token, enrolment_expires_at }
}

/** @throws AppError NOT_FOUND */
export const enrol = async (ctx: Ctx, id: string): Promise<Enrolment> => {
  orNotFound(await lockState(ctx, id), 'scanner', id)
  return issueToken(ctx, id)
}

/** @throws AppError NOT_FOUND */
export const revoke = async (ctx: Ctx, id: string): Promise<Scanner> => {
  const { revoked_at } = orNotFound(await lockState(ctx, id), 'scanner', id)
  if (revoked_at === null) {
    const tokens = { enrolment_hash: '', enrolment_expires_at: null, token_hash: '', public_key: '' }
    await setState(ctx, id, { ...tokens, revoked_at: ctx.now })
    await clearBeat(ctx, id)
    await turn(ctx, { id, isOnline: false })
    const { name } = await rules.getOrThrow(ctx, id)
    await ctx.emit('scanner.revoked', { id, name })
  } else await setState(ctx, id, { enrolment_hash: '', enrolment_expires_at: null })
  return rules.getOrThrow(await narrowToListed(ctx, ['discovery']), id)
}
