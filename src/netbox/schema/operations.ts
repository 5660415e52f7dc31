/** The operations of the document: parameters, bodies and answers of each route. */
import { parseHttp } from '../../kernel/http-route.ts'
import type { RawRoute } from '../../kernel/operation.ts'
import type { Endpoint } from '../endpoint/endpoint.ts'
import type { Filter } from '../endpoint/filter.ts'
import { listFilters } from '../list/common-filters.ts'
import { describePage, type Names, referTo, type Schema } from './components.ts'

const VALUE_TYPES: Readonly<Record<Filter<never>['type'], Schema>> = {
  string: { type: 'string' },
  integer: { type: 'integer' },
  number: { type: 'number', format: 'double' },
  boolean: { type: 'boolean' },
  'date-time': { type: 'string', format: 'date-time' },
}

const describeParameter = (name: string, schema: Schema): Schema => ({ in: 'query', name, schema })

/** The parameters of every list, which choose a page, an order and fields. */
const PAGE_PARAMETERS: readonly Schema[] = [
  ...['limit', 'offset'].map((name) => describeParameter(name, VALUE_TYPES.integer)),
  ...['ordering', 'fields', 'omit', 'brief', 'format'].map((name) => describeParameter(name, VALUE_TYPES.string)),
]

/** A filter takes its parameter several times, but for one of two values. */
const describeFilter = <Item>(name: string, { lookups, type }: Filter<Item>): Schema[] =>
  lookups.map((lookup) => {
    const parameter = lookup === '' ? name : `${name}__${lookup}`
    const value = lookup === 'empty' ? VALUE_TYPES.boolean : VALUE_TYPES[type]
    return describeParameter(parameter, value.type === 'boolean' ? value : { type: 'array', items: value })
  })

const listParameters = <Item>(endpoint: Endpoint<Item>): Schema[] => {
  const filters = Object.entries(listFilters(endpoint)).flatMap(([name, filter]) => describeFilter(name, filter))
  return [...filters, ...PAGE_PARAMETERS]
}

const asJson = (schema: Schema): Schema => ({ content: { 'application/json': { schema } } })

const toList = (schema: Schema): Schema => ({ type: 'array', items: schema })

/** A create takes one object or several; the other methods take several on the path of the list. */
const describeBody = (name: string, method: string, isOnOne: boolean): Schema | undefined => {
  if (method === 'DELETE') return isOnOne ? undefined : asJson(toList(NUMBER))
  const body = referTo(method === 'PATCH' ? `Patched${name}Request` : `${name}Request`)
  if (method === 'POST') return asJson({ oneOf: [body, toList(body)] })
  return asJson(isOnOne ? body : toList({ allOf: [NUMBER, body] }))
}

const NUMBER: Schema = { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } }

const SUCCESSES: Readonly<Record<string, string>> = { POST: '201', DELETE: '204' }

const describeAnswer = (name: string, method: string, isOnOne: boolean): Schema => {
  if (method === 'DELETE') return { description: 'No response body' }
  const one = referTo(name)
  if (method === 'GET') return { description: '', ...asJson(isOnOne ? one : referTo(`Paginated${name}List`)) }
  if (method === 'POST') return { description: '', ...asJson({ oneOf: [one, toList(one)] }) }
  return { description: '', ...asJson(isOnOne ? one : toList(one)) }
}

const ERRORS: Schema = { default: { description: 'An error', ...asJson(referTo('Error')) } }

const ID_PARAMETER: Schema = { in: 'path', name: 'id', required: true, schema: { type: 'integer' } }

const createBase = ({ name, summary }: RawRoute, path: string) => ({
  operationId: name.slice(name.indexOf('.') + 1).replaceAll('-', '_'),
  description: summary,
  tags: [path.split('/')[0] ?? ''],
  security: [{ tokenAuth: [] }],
})

/** Returns the operation of a route of an endpoint. */
export const describeRoute = <Item>(route: RawRoute, path: string, endpoint: Endpoint<Item>, names: Names): Schema => {
  const { method, params } = parseHttp(route.http)
  const isOnOne = params.length > 0
  const name = names.get(endpoint.kind)?.name ?? ''
  const body = method === 'GET' ? undefined : describeBody(name, method, isOnOne)
  const parameters = [
    ...(isOnOne ? [ID_PARAMETER] : []),
    ...(method === 'GET' && !isOnOne ? listParameters(endpoint) : []),
  ]
  return {
    ...createBase(route, path),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: body }),
    responses: { [SUCCESSES[method] ?? '200']: describeAnswer(name, method, isOnOne), ...ERRORS },
  }
}

/** Returns the operation of a route that is no list of objects and none of its objects. */
export const describeOther = (route: RawRoute, path: string): Schema => {
  const { method, params } = parseHttp(route.http)
  const isList = path.includes('/') && params.length === 0
  const schema = isList ? describePage({ type: 'object' }) : {}
  return {
    ...createBase(route, path),
    ...(params.length > 0 && { parameters: [ID_PARAMETER] }),
    ...(method === 'POST' && { requestBody: asJson({}) }),
    responses: { [SUCCESSES[method] ?? '200']: { description: '', ...asJson(schema) }, ...ERRORS },
  }
}
