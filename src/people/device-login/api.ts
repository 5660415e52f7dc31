/**
 * The contract of the sign-in of a device that has no browser, as `plat login --sso`: a page of Plat asks its user. The shape
 * is that of RFC 8628. Browser-safe.
 */
import { z } from 'zod'
import { Name, Timestamp } from '../../contract/fields/fields.ts'
import { rawRoute } from '../../kernel/operation.ts'
import { User } from '../users/api.ts'

export const DeviceLoginDraft = z.object({ client: Name.describe('The name of the device, which its user sees') })

export const DeviceLogin = z
  .object({
    device_code: z.string().describe('The secret of the device'),
    user_code: z.string().describe('The code that the user types'),
    verification_uri: z.string(),
    verification_uri_complete: z.string(),
    expires_in: z.int().describe('Seconds'),
    interval: z.int().describe('Seconds between two requests for the key'),
  })
  .meta({ id: 'DeviceLogin' })
export type DeviceLogin = z.infer<typeof DeviceLogin>

export const WaitingDevice = z
  .object({
    user_code: z.string(),
    client: z.string().describe('The name that the device gives itself'),
    ip_address: z.string().describe('The address of the device; empty if unknown'),
    created_at: Timestamp,
    expires_at: Timestamp,
  })
  .meta({ id: 'WaitingDevice' })
export type WaitingDevice = z.infer<typeof WaitingDevice>

export const DeviceDecision = z.object({ allow: z.boolean() })

export const DeviceTokenRequest = z.object({ device_code: z.string().max(255) })

export const DeviceKey = z
  .object({
    key: z.string().describe('An API key of the user, shown only this once'),
    key_id: z.string(),
    user: User,
    expires_at: Timestamp.describe('When the key expires'),
  })
  .meta({ id: 'DeviceKey' })
export type DeviceKey = z.infer<typeof DeviceKey>

export const deviceLoginRoutes = {
  start: rawRoute({
    name: 'device-login.start',
    summary: 'Begin the sign-in of a device; its user decides on the page /device',
    http: 'POST /api/auth/device',
    access: 'public',
    isSensitive: true,
    input: DeviceLoginDraft,
    output: DeviceLogin,
  }),
  show: rawRoute({
    name: 'device-login.show',
    summary: 'Show the device that waits with a code',
    http: 'GET /api/auth/device/{user_code}',
    access: 'authenticated',
    session: 'any',
    errors: [404],
    output: WaitingDevice,
  }),
  decide: rawRoute({
    name: 'device-login.decide',
    summary: 'Allow or deny the sign-in of a device',
    http: 'POST /api/auth/device/{user_code}',
    status: 204,
    access: 'authenticated',
    session: 'any',
    errors: [404],
    audit: { action: 'update', resource: 'device-login' },
    input: DeviceDecision,
  }),
  token: rawRoute({
    name: 'device-login.token',
    summary: 'Ask for the API key of a device; it is shown once',
    description:
      'Until the user has decided the code is AUTHORIZATION_PENDING, and SLOW_DOWN if it is asked again before the interval has passed. ACCESS_DENIED: the user has denied. EXPIRED_TOKEN: the device code is unknown, used or expired.',
    http: 'POST /api/auth/device/token',
    access: 'public',
    errors: [409],
    audit: { action: 'create', resource: 'key' },
    input: DeviceTokenRequest,
    output: DeviceKey,
  }),
}
