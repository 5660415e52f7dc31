/** The versions that clients of NetBox ask for. */
import { hostname } from 'node:os'
import { respondJson } from './answers.ts'
import type { Handle } from './call.ts'

/** The NetBox whose API this is: every client of 2026 takes it, and 4.6 brings cursors. */
export const NETBOX_VERSION = '4.5.10'
/** The value of the header API-Version. */
export const API_VERSION = '4.5'

export const createStatusHandler =
  (version: string): Handle =>
  async (_ctx, call) =>
    respondJson(call, {
      'django-version': '',
      hostname: hostname(),
      installed_apps: {},
      'netbox-version': NETBOX_VERSION,
      'netbox-full-version': NETBOX_VERSION,
      plugins: {},
      'python-version': '',
      'rq-workers-running': 0,
      'plat-version': version,
    })
