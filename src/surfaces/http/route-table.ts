/** Finds the route of a path, with all methods. A literal segment precedes a parameter. */

type Leaf<Route> = { readonly route: Route; readonly params: readonly string[] }

type Node<Route> = {
  readonly literals: Map<string, Node<Route>>
  param: Node<Route> | undefined
  readonly methods: Map<string, Leaf<Route>>
}

export type Params = Readonly<Record<string, string>>

export type RouteTable<Route> = {
  /** @param path with `{params}`, each a complete segment */
  readonly add: (method: string, path: string, route: Route) => void
  /** HEAD finds the route of GET. Parameters are decoded. */
  readonly find: (method: string, path: string) => { readonly route: Route; readonly params: Params } | undefined
  /** Returns the methods of the most specific route of the path; none for a path without a route. */
  readonly methods: (path: string) => string[]
}

const NO_PARAMS: Params = {}

const createNode = <Route>(): Node<Route> => ({ literals: new Map(), param: undefined, methods: new Map() })

/** Decodes a segment of a path. An invalid percent-encoding (RFC 3986 2.1) stays as it is. */
export const decodeSegment = (segment: string): string => {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

type Wanted = { readonly method: string; readonly path: string; readonly values: string[] }

/** Adds the values of the parameters to `values`. @param at the next segment in `path` */
const walk = <Route>(node: Node<Route>, wanted: Wanted, at: number): Leaf<Route> | undefined => {
  const { method, path, values } = wanted
  if (at > path.length) return node.methods.get(method)
  const slash = path.indexOf('/', at)
  const end = slash === -1 ? path.length : slash
  const segment = path.slice(at, end)
  const literal = node.literals.get(segment)
  const found = literal && walk(literal, wanted, end + 1)
  if (found || !node.param || segment === '') return found
  const { length } = values
  values.push(segment)
  const behind = walk(node.param, wanted, end + 1)
  if (!behind) values.length = length
  return behind
}

/** @example table.add('GET', '/api/devices/{id}', 'one'); table.find('GET', '/api/devices/web%201') */
export const createRouteTable = <Route>(): RouteTable<Route> => {
  const root = createNode<Route>()
  const known = new Set<string>()
  const locate = (wanted: Wanted) => (wanted.path.startsWith('/') ? walk(root, wanted, 1) : undefined)

  return {
    add: (method, path, route) => {
      const params: string[] = []
      let node = root
      for (const segment of path.slice(1).split('/')) {
        const [, param] = /^\{(\w+)\}$/.exec(segment) ?? []
        if (param !== undefined) {
          params.push(param)
          node.param ??= createNode()
          node = node.param
          continue
        }
        const next = node.literals.get(segment) ?? createNode<Route>()
        node.literals.set(segment, next)
        node = next
      }
      node.methods.set(method, { route, params })
      known.add(method)
    },
    find: (method, path) => {
      const values: string[] = []
      const leaf = locate({ method: method === 'HEAD' ? 'GET' : method, path, values })
      if (!leaf) return undefined
      if (values.length === 0) return { route: leaf.route, params: NO_PARAMS }
      const params: Record<string, string> = {}
      for (const [i, name] of leaf.params.entries()) params[name] = decodeSegment(values[i] ?? '')
      return { route: leaf.route, params }
    },
    methods: (path) => {
      const found = [...known].flatMap((method) => {
        const leaf = locate({ method, path, values: [] })
        return leaf ? [{ method, params: leaf.params.length }] : []
      })
      const fewest = Math.min(...found.map(({ params }) => params))
      return found.flatMap(({ method, params }) => (params === fewest ? [method] : []))
    },
  }
}
