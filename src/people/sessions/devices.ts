/** Signed cookies by which a known browser or command line skips the queue of unknown devices. They grant no rights. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Db } from '../../database/database.ts'
import type { Tables } from '../../database/tables.ts'
import { createCookie, getCookie } from '../../surfaces/http/credentials.ts'
import { createSignInKey } from './sign-in-key-store.ts'

export type Device = {
  readonly id: string
  readonly userId: string
  /** The user's generation at sign-in: a new password invalidates the cookie. */
  readonly generation: number
}

type NewDevice = Omit<Device, 'id'> & {
  /** Undefined for a device without a cookie. */
  readonly id: string | undefined
  /** The time of the sign-in. */
  readonly at: Date
}

export type Devices = {
  /** The device of a request: signed by this server, no older than 90 days. Its user may have changed. */
  readonly shown: (headers: Headers, now: Date) => Promise<Device | undefined>
  /** Returns the Set-Cookie value of a device. */
  readonly cookieFor: (device: NewDevice) => Promise<string>
}

const LIFE_MS = 90 * 24 * 3600 * 1000
const ID_BYTES = 16
/** User, generation, device, time in ms, and the signature of the text before it. */
const FORM = /^(([0-9a-f-]{36})\.(\d{1,15})\.([\w-]{22})\.(\d{1,15}))\.([\w-]{43})$/

/** The prefix makes the signature invalid for any other purpose. */
const computeSignature = (key: Buffer, text: string): Buffer =>
  createHmac('sha256', key).update(`device-cookie|${text}`).digest()

export const createDevices = ({ db, isSecure }: { db: Db<Tables>; isSecure: boolean }): Devices => {
  const cookie = createCookie('device', { isSecure, ttlMs: LIFE_MS })
  const key = createSignInKey(db, 'device-cookie')

  return {
    shown: async (headers, now) => {
      const [, text, userId, generation, id, at, signature] =
        FORM.exec(getCookie(headers.get('cookie') ?? '', cookie.name) ?? '') ?? []
      if (text === undefined || userId === undefined || id === undefined || signature === undefined) return undefined
      const ageMs = now.getTime() - Number(at)
      if (ageMs > LIFE_MS) return undefined
      const isOurs = timingSafeEqual(computeSignature(await key(), text), Buffer.from(signature, 'base64url'))
      return isOurs ? { id, userId, generation: Number(generation) } : undefined
    },
    cookieFor: async ({ id = randomBytes(ID_BYTES).toString('base64url'), userId, generation, at }) => {
      const text = [userId, generation, id, at.getTime()].join('.')
      return cookie.set(`${text}.${computeSignature(await key(), text).toString('base64url')}`)
    },
  }
}
