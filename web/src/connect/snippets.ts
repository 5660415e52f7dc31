/** Configuration snippets for common MCP clients. Pure functions. */

export type Way = 'oauth' | 'key'

type Given = { readonly url: string; readonly way: Way }

/** One step of the instructions, with the text to copy. */
export type Step = {
  readonly text: string
  readonly code?: string
  /** The name of the code for screen readers, such as `the command`. */
  readonly label?: string
  /** The file that the code belongs in. */
  readonly file?: string
}

export type ClientGuide = {
  readonly id: string
  readonly name: string
  readonly stepsFor: (given: Given) => readonly Step[]
}

const json = (value: unknown): string => JSON.stringify(value, null, 2)

/** The key is in the environment, so that no shared file contains it. */
const EXPORT_KEY: Step = {
  text: 'Put the API key into the environment of the client.',
  code: 'export PLAT_TOKEN=plat_…',
  label: 'the line with the key',
}

const SIGN_IN = 'A browser opens: sign in to Plat, check the permissions, and allow them.'

const claudeCode = ({ url, way }: Given): readonly Step[] =>
  way === 'oauth'
    ? [
        { text: 'Add Plat:', code: `claude mcp add --transport http plat ${url}`, label: 'the command' },
        { text: 'Start claude, type /mcp, choose plat and “Authenticate”.' },
        { text: SIGN_IN },
      ]
    : [
        EXPORT_KEY,
        {
          text: 'Add Plat:',
          code: `claude mcp add --transport http plat ${url} --header "Authorization: Bearer $PLAT_TOKEN"`,
          label: 'the command',
        },
      ]

const isPlainHttp = (url: string): boolean => url.startsWith('http://')

const claudeDesktop = ({ url, way }: Given): readonly Step[] =>
  way === 'oauth'
    ? [
        {
          text: 'Open Settings → Connectors → Add custom connector, and give it this address:',
          code: url,
          label: 'the address',
        },
        { text: SIGN_IN },
        {
          text: 'Such connectors connect from the Internet. If Plat is reachable from your own network only, use an API key.',
        },
      ]
    : [
        {
          text: 'Open Settings → Developer → Edit Config, and add this. It needs Node.js, for the bridge mcp-remote.',
          file: 'claude_desktop_config.json',
          label: 'the configuration',
          code: json({
            mcpServers: {
              plat: {
                command: 'npx',
                args: [
                  'mcp-remote',
                  url,
                  '--header',
                  // Windows drops blanks within an argument.
                  `Authorization:\${AUTHORIZATION}`,
                  ...(isPlainHttp(url) ? ['--allow-http'] : []),
                ],
                env: { AUTHORIZATION: 'Bearer plat_…' },
              },
            },
          }),
        },
        { text: 'Insert your API key, and restart Claude Desktop.' },
      ]

const cursor = ({ url, way }: Given): readonly Step[] => [
  ...(way === 'key' ? [EXPORT_KEY] : []),
  {
    text: 'Add this to the file; for one project, to .cursor/mcp.json in its folder.',
    file: '~/.cursor/mcp.json',
    label: 'the configuration',
    code: json({
      mcpServers: {
        plat: { url, ...(way === 'key' ? { headers: { Authorization: `Bearer \${env:PLAT_TOKEN}` } } : {}) },
      },
    }),
  },
  ...(way === 'oauth' ? [{ text: `Open Cursor’s settings for MCP and choose “Connect” beside plat. ${SIGN_IN}` }] : []),
]

const vsCode = ({ url, way }: Given): readonly Step[] => [
  {
    text: 'Add this to the file; or run “MCP: Add Server” and choose HTTP.',
    file: '.vscode/mcp.json',
    label: 'the configuration',
    code: json(
      way === 'oauth'
        ? { servers: { plat: { type: 'http', url } } }
        : {
            servers: {
              plat: { type: 'http', url, headers: { Authorization: `Bearer \${input:plat-key}` } },
            },
            inputs: [{ type: 'promptString', id: 'plat-key', description: 'API key of Plat', password: true }],
          },
    ),
  },
  {
    text:
      way === 'oauth'
        ? `Start the server plat in that file. ${SIGN_IN}`
        : 'Start the server plat in that file. VS Code asks for the API key once and keeps it safe.',
  },
]

const other = ({ url, way }: Given): readonly Step[] => [
  {
    text: 'Most clients take a file like this. The transport is Streamable HTTP.',
    file: 'mcp.json',
    label: 'the configuration',
    code: json({
      mcpServers: {
        plat: { type: 'http', url, ...(way === 'key' ? { headers: { Authorization: 'Bearer plat_…' } } : {}) },
      },
    }),
  },
  way === 'oauth'
    ? {
        text: `Without a key the client finds by itself where to register and to sign in (RFC 9728, RFC 7591). ${SIGN_IN}`,
      }
    : {
        text: 'To test the key:',
        label: 'the command',
        code: `curl -s ${url} -H "Authorization: Bearer $PLAT_TOKEN" -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'`,
      },
]

export const CLIENTS = [
  { id: 'claude-code', name: 'Claude Code', stepsFor: claudeCode },
  { id: 'claude-desktop', name: 'Claude Desktop', stepsFor: claudeDesktop },
  { id: 'cursor', name: 'Cursor', stepsFor: cursor },
  { id: 'vs-code', name: 'VS Code', stepsFor: vsCode },
  { id: 'other', name: 'Any other', stepsFor: other },
] as const satisfies readonly ClientGuide[]

/** Returns the settings that the operator of the server must set. */
export const formatSettings = (origin: string): string => `MCP_OAUTH_ENABLED=true\nMCP_OAUTH_ISSUER_URL=${origin}`
