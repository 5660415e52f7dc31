// `npm run test:contract`: schemathesis tries every operation of a real server by its OpenAPI document, with many examples.

import { ensureDependencies } from '../install.mjs'
import { ensureSchemathesis } from '../python-tools.mjs'
import { finish, runContract } from '../steps.mjs'

ensureDependencies()
ensureSchemathesis()
finish([await runContract({ isThorough: true })])
