/** Scanners that enrol by hand, in networks that the test names. */
import { generateKeyPair } from '../src/scanner/seal.ts'
import { WIRE_PATHS } from '../src/scanner/wire.ts'
import { FACTS } from '../testing/servers/wire-scanner.ts'
import type { RunningPlat } from './server.ts'

type Draft = { readonly name: string; readonly tags?: string[]; readonly links: readonly string[] }

/** Returns the id of a scanner that says once that it is there. */
export const seedScanner = async ({ api, url }: RunningPlat, { links, ...draft }: Draft): Promise<string> => {
  const { id, enrolment_token } = await api.scanners.create(draft)
  const enrolled = await fetch(url + WIRE_PATHS.enrol, {
    method: 'POST',
    headers: { authorization: `Bearer ${enrolment_token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...FACTS, links, public_key: generateKeyPair().publicKey }),
  })
  if (enrolled.status !== 201) throw new Error(`the enrolment is refused: ${await enrolled.text()}`)
  return id
}
