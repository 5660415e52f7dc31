/** Starts the workers of this application: the policy of the page lets no other script be started by its URL. */
import devicesUrl from '../devices/devices.worker.ts?worker&url'
import layoutUrl from '../topology/layout.worker.ts?worker&url'

const URLS = { devices: devicesUrl, layout: layoutUrl }

type TrustedTypes = {
  readonly createPolicy: (
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ) => {
    readonly createScriptURL: (url: string) => string
  }
}

/** Made once: a second policy of the same name would be refused. */
const trusted = (() => {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
  return trustedTypes?.createPolicy('app', {
    createScriptURL: (url) => {
      if (!Object.values(URLS).includes(url)) throw new TypeError('not a script of this application')
      return url
    },
  })
})()

export const startWorker = (name: keyof typeof URLS): Worker => {
  const url = URLS[name]
  return new Worker(trusted?.createScriptURL(url) ?? url, { type: 'module', name })
}
