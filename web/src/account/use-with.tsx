/** How tools for NetBox use a new API key: the lines of each with the URL and the key. */
import { CodeBlock } from '../connect/code-block.tsx'
import fields from '../ui/field.module.css'
import css from './account.module.css'

type Access = { readonly url: string; readonly key: string }

type Tool = { readonly name: string; readonly file?: string; readonly format: (access: Access) => string }

const formatAnsible = ({ url, key }: Access): string => `plugin: netbox.netbox.nb_inventory
api_endpoint: ${url}
token: ${key}`

const formatTerraform = ({ url, key }: Access): string => `terraform {
  required_providers {
    netbox = { source = "e-breuninger/netbox" }
  }
}

provider "netbox" {
  server_url = "${url}"
  api_token  = "${key}"
}`

const formatPynetbox = ({ url, key }: Access): string => `import pynetbox

nb = pynetbox.api("${url}", token="${key}")`

const TOOLS: readonly Tool[] = [
  { name: 'Ansible', file: 'netbox_inventory.yml', format: formatAnsible },
  { name: 'Terraform', file: 'provider.tf', format: formatTerraform },
  { name: 'pynetbox', format: formatPynetbox },
]

export const UseWith = ({ apiKey }: { readonly apiKey: string }) => {
  const access = { url: `${location.origin}/netbox`, key: apiKey }
  return (
    <section className={css.useWith} aria-labelledby="use-with">
      <h3 id="use-with">Use with</h3>
      {TOOLS.map(({ name, file, format }) => (
        <details key={name} name="use-with" className={fields.more}>
          <summary>{name}</summary>
          <CodeBlock code={format(access)} label={`the lines for ${name}`} {...(file === undefined ? {} : { file })} />
        </details>
      ))}
    </section>
  )
}
