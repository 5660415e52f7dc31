/** A Kubernetes cluster by its API server: nodes, services with an own address, and the hosts of ingresses. */
import { z } from 'zod'
import { FetchError } from '../../fetch/fetch-error.ts'
import { parseAnswer } from '../parse.ts'
import type { FetchMeans, SourceKind } from '../source-kind.ts'
import { Ingress, Node, Service, Version } from './snapshot.ts'

const PAGE = 500
/** More objects of one list than any cluster has, so that a list without end ends. */
const MAX_OBJECTS = 200_000
/** The status of a list with a `continue` that is no longer known. */
const EXPIRED = 410

const getHeaders = ({ secrets }: FetchMeans): Readonly<Record<string, string>> => {
  const token = secrets.token?.trim()
  if (token) return { authorization: `Bearer ${token}` }
  if (!secrets.client_certificate || !secrets.client_key)
    throw new FetchError('unauthorized', 'a token, or a client certificate with its key, is needed: none is set')
  return {}
}

const askVersion = async (means: FetchMeans) => {
  const { ask, product } = means
  const answer = Version.safeParse(await ask.json('/version', { headers: getHeaders(means) }))
  if (!answer.success)
    throw new FetchError(
      'wrong_url',
      'GET /version: the answer is not that of an API server of Kubernetes: check the url',
    )
  product(`Kubernetes ${answer.data.gitVersion}`)
  return answer.data
}

/** Reads a list page by page, and keeps the parts that the schema names. */
const listAll = async <S extends z.ZodType>(means: FetchMeans, path: string, schema: S): Promise<z.output<S>[]> => {
  const Page = z.object({
    items: z.array(schema),
    metadata: z.object({ continue: z.string().optional() }).optional(),
  })
  const all: z.output<S>[] = []
  for (let next = ''; ; ) {
    const query = `?limit=${PAGE}${next && `&continue=${encodeURIComponent(next)}`}`
    const answer = await means.ask.json(path + query, { headers: getHeaders(means), alsoAllows: next ? [EXPIRED] : [] })
    if (z.object({ code: z.literal(EXPIRED) }).safeParse(answer).success)
      throw new FetchError(
        'bad_answer',
        `GET ${path}: the list has changed while it was read: the next run reads it again`,
      )
    const page = parseAnswer(Page, `GET ${path}`, answer)
    all.push(...page.items)
    if (all.length > MAX_OBJECTS) throw new FetchError('too_large', `GET ${path}: more than ${MAX_OBJECTS} objects`)
    next = page.metadata?.continue ?? ''
    if (next === '') return all
  }
}

export const kubernetes: SourceKind = {
  kind: 'kubernetes',
  title: 'Kubernetes',
  description: 'Nodes, services of type LoadBalancer, and the hosts of ingresses',
  needs: 'a service account with the verb list on nodes, services and ingresses.networking.k8s.io in all namespaces',
  maybeEmpty: ['appliance'],
  secrets: [
    { name: 'token', description: 'The token of a service account', required: false },
    { name: 'client_certificate', description: 'In place of the token: a certificate, as PEM', required: false },
    { name: 'client_key', description: 'The private key of that certificate, as PEM', required: false },
  ],
  options: [],
  Options: z.object({}),
  types: ['node', 'appliance'],
  whenGone: 'delete',
  goneAfterHours: 0,
  maxGonePercent: 100,
  fetch: async (means) => {
    const version = await askVersion(means)
    const [nodes, services, ingresses] = await Promise.all([
      listAll(means, '/api/v1/nodes', Node),
      listAll(means, '/api/v1/services', Service),
      listAll(means, '/apis/networking.k8s.io/v1/ingresses', Ingress),
    ])
    return { version, nodes, services, ingresses }
  },
  test: async (means) => {
    await askVersion(means)
  },
  convert: async (...given) => (await import('./convert.ts')).convertKubernetes(...given),
}
