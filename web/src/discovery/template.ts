/** Makes names from a template as the server does, for a preview. */
import type { DiscoveredDevice } from './shapes.ts'

export const TEMPLATE_WORDS = ['hostname', 'ip', 'mac', 'vendor', 'n'] as const

/** Returns the name of the n-th documented device. @example fillTemplate('rack1-{n}', discovered, 3) // 'rack1-3' */
export const fillTemplate = (
  template: string,
  { hostname, ip, mac_address, vendor }: Pick<DiscoveredDevice, 'hostname' | 'ip' | 'mac_address' | 'vendor'>,
  n: number,
): string => {
  const words = new Map(Object.entries({ hostname: hostname || ip, ip, mac: mac_address, vendor, n: String(n) }))
  return template
    .replace(/\{(\w+)\}/g, (whole, word: string) => words.get(word) ?? whole)
    .trim()
    .slice(0, 255)
}

/** Returns the placeholders that are not defined. */
export const listUnknownWords = (template: string): string[] =>
  [...template.matchAll(/\{([^{}]*)\}/g)].flatMap(([, word = '']) =>
    TEMPLATE_WORDS.some((known) => known === word) ? [] : [word],
  )
