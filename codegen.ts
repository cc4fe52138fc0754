// Types the GraphQL documents of the REST edge, the pages, the dashboard and the operator command, each against its committed schema.
// `npm run codegen` writes the result.
import type { CodegenConfig } from '@graphql-codegen/cli'

const COMMON = {
  importExtension: '.ts',
  useTypeImports: true,
  enumsAsTypes: true,
  enumType: 'string-literal',
  mergeFragmentTypes: true,
  strictScalars: true,
}

const SCALARS = {
  Asset: 'string',
  BaseUnits: 'string',
  DateTimeISO: 'string',
  FormText: 'string',
  ImageData: 'string',
  JSONObject: 'Readonly<Record<string, unknown>>',
  Line: 'string',
  Mint: 'string',
  Signature: 'string',
  SignedUnits: 'string',
  SolanaAddress: 'string',
  Sum: 'string',
  Text: 'string',
  UInt64: 'string',
  UUID: 'string',
  UsdCents: 'number',
}

const config: CodegenConfig = {
  ignoreNoDocuments: true,
  generates: {
    'src/rest/documents.generated.ts': {
      schema: 'schema.graphql',
      documents: 'src/rest/**/*.graphql',
      plugins: ['typescript-operations', 'typed-document-node'],
      config: {
        ...COMMON,
        scalars: {
          ...SCALARS,
          // On its way out a base-unit amount is an exact JSON number; see src/http/exact-json.ts.
          BaseUnits: { input: 'string', output: '../http/exact-json.ts#ExactNumber' },
          Sum: { input: 'string', output: '../http/exact-json.ts#ExactNumber' },
          UInt64: { input: 'string', output: '../http/exact-json.ts#ExactNumber' },
        },
      },
    },
    'src/pay/documents.generated.ts': {
      schema: 'schema.graphql',
      documents: 'src/pay/**/*.graphql',
      plugins: ['typescript-operations', 'typed-document-node'],
      // Browsers send them as they are.
      config: { ...COMMON, documentMode: 'string', scalars: SCALARS },
    },
    'src/dashboard/documents.generated.ts': {
      schema: 'schema.graphql',
      documents: 'src/dashboard/browser/**/*.graphql',
      plugins: ['typescript-operations', 'typed-document-node'],
      config: { ...COMMON, documentMode: 'string', scalars: SCALARS },
    },
    'src/dashboard/operator/documents.generated.ts': {
      schema: 'operator.graphql',
      documents: 'src/dashboard/operator/**/*.graphql',
      plugins: ['typescript-operations', 'typed-document-node'],
      config: { ...COMMON, documentMode: 'string', scalars: SCALARS },
    },
    'src/operator/documents.generated.ts': {
      schema: 'operator.graphql',
      documents: 'src/operator/operator.graphql',
      plugins: ['typescript-operations', 'typed-document-node'],
      // Sent over HTTP as they are, so the command need not load GraphQL itself.
      config: { ...COMMON, documentMode: 'string', scalars: SCALARS },
    },
  },
}

export default config
