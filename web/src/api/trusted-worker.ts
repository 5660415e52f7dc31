/** Starts the workers of the UI. The content security policy permits no other script URL. */
import devicesUrl from '../devices/window/devices.worker.ts?worker&url'
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

/** Created once, because a second policy of the same name would be refused. */
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
