// `npm run test:contract`: schemathesis tries every operation of a real server by its OpenAPI document, with many examples.

import { ensureDependencies } from '../install.mjs'
import { finish, runContract } from '../steps.mjs'
import { ensureSchemathesis } from './install.mjs'

ensureDependencies()
ensureSchemathesis()
finish([await runContract({ isThorough: true })])
