/** A Docker engine on this machine with answers that a test sets. */

export const VERSION = { Version: '29.0.1', ApiVersion: '1.52' }
export const INFO = {
  ...{ ID: 'engine-1', Name: 'engine-1', OperatingSystem: 'Debian GNU/Linux 13' },
  ...{ NCPU: 4, MemTotal: 8_589_934_592 },
}

const buildContainer = (name: string) => ({
  ...{ Id: name.padEnd(64, '0'), Names: [`/${name}`], Image: 'nginx:1', State: 'running', Labels: {} },
  ...{ HostConfig: { NetworkMode: 'bridge' }, NetworkSettings: { Networks: {} }, Ports: [] },
})

export const startDockerEngine = () => {
  const engine = {
    /** The names of its containers. */
    names: ['web', 'db'],
    status: 200,
    /** Requests wait for this. */
    held: Promise.resolve(),
    asked: 0,
  }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async ({ url }) => {
      engine.asked++
      await engine.held
      if (engine.status !== 200) return new Response('no', { status: engine.status })
      const { pathname } = new URL(url)
      if (pathname === '/version') return Response.json(VERSION)
      if (pathname === '/info') return Response.json(INFO)
      if (pathname === '/containers/json') return Response.json(engine.names.map(buildContainer))
      return Response.json([])
    },
  })
  return { engine, url: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) }
}
