/** `plat healthcheck`: probes this machine's server, at the address that its settings give. */

import { listenAddress } from '../../base/config/values.ts'
import { VARIABLES } from '../../base/config/variables.ts'
import { AppError } from '../../contract/errors.ts'
import { normalizeUrl } from './connection/connection.ts'
import { isOn, type Session, type Texts } from './parse/command.ts'

/** Monitors count a late answer as none. */
const ANSWER_MS = 3000

/** Returns the URL at which a server with these settings is reached from its own machine. */
const getOwnUrl = (listenAddr: string | undefined): string => {
  const { hostname, port } = listenAddress(listenAddr || VARIABLES.listenAddr.default)
  const isAny = hostname === undefined || hostname === '0.0.0.0' || hostname === '::'
  const host = isAny ? '127.0.0.1' : hostname.includes(':') ? `[${hostname}]` : hostname
  return `http://${host}:${port}`
}

/** @throws AppError UNAVAILABLE if there is no answer, or the server reports itself as unhealthy */
export const healthcheck = async ({ io, globals }: Session, texts: Texts): Promise<number> => {
  const base = normalizeUrl(globals.url || io.env.PLAT_URL || getOwnUrl(io.env.LISTEN_ADDR))
  const url = `${base}${isOn(texts, 'ready') ? '/readyz' : '/healthz'}`
  let status: number
  try {
    const response = await io.fetch(url, { signal: AbortSignal.timeout(ANSWER_MS), redirect: 'manual' })
    status = response.status
  } catch (cause) {
    throw new AppError('UNAVAILABLE', `${url} does not answer`, { cause })
  }
  if (status !== 200) throw new AppError('UNAVAILABLE', `${url} answers ${status}`)
  return 0
}
