/** The engine of Docker or Podman, over TCP, TLS with a client certificate, or its local socket. */
import { z } from 'zod'
import { line } from '../../../contract/fields/fields.ts'
import { FetchError } from '../../fetch/fetch-error.ts'
import { parseAnswer } from '../parse.ts'
import type { FetchMeans, SourceKind } from '../source-kind.ts'
import { Containers, Info, Networks, Version } from './snapshot.ts'

const Options = z.object({
  containers: z.boolean().default(true),
  host: line(255).trim().default(''),
})

const askVersion = async ({ ask, product }: FetchMeans) => {
  const answer = Version.safeParse(await ask.json('/version'))
  if (!answer.success)
    throw new FetchError(
      'wrong_url',
      'GET /version: the answer is not that of Docker or Podman: check the url and its port',
    )
  const { data } = answer
  const podman = data.Components?.find(({ Name }) => Name.startsWith('Podman'))
  product(podman ? `Podman ${podman.Version}` : `Docker ${data.Version}`)
  return data
}

export const docker: SourceKind = {
  kind: 'docker',
  title: 'Docker, Podman',
  description: 'The machine of an engine, and its containers',
  needs: 'a client certificate that the engine accepts (--tlsverify), or its local socket. Any access is full access',
  maybeEmpty: ['container'],
  secrets: [
    { name: 'client_certificate', description: 'The certificate of the client, as PEM', required: false },
    { name: 'client_key', description: 'The private key of that certificate, as PEM', required: false },
  ],
  options: [
    { name: 'containers', type: 'flag', default: true, description: 'Read the containers too', required: false },
    {
      name: 'host',
      type: 'text',
      default: '',
      description: 'The id of the device that is the engine; without it the device is found by its name and address',
      required: false,
    },
  ],
  Options,
  types: ['host', 'container'],
  whenGone: 'delete',
  goneAfterHours: 0,
  maxGonePercent: 100,
  fetch: async (means) => {
    const version = await askVersion(means)
    const { ask } = means
    const [info, containers, networks] = await Promise.all([
      ask.json('/info').then((value) => parseAnswer(Info, 'GET /info', value)),
      ask.json('/containers/json?all=true').then((value) => parseAnswer(Containers, 'GET /containers/json', value)),
      ask.json('/networks').then((value) => parseAnswer(Networks, 'GET /networks', value)),
    ])
    return { version, info, containers, networks }
  },
  test: async (means) => {
    await askVersion(means)
  },
  convert: async (...given) => (await import('./convert.ts')).convertDocker(...given),
}
