import { AD_PRODUCTS, type AdProduct } from '../../data/ad-products.js';
import type { Branding, Question, Questionnaire } from '../../data/records.js';
import { assertHirer } from '../access.js';
import { textOf, type Context } from '../context.js';
import { graphqlError } from '../errors.js';
import { findObject, requireObject } from '../find-object.js';
import { pageOf, type PageArgs } from '../paging.js';
import type { RootFields } from '../root-fields.js';
import { assertScheme } from '../scheme.js';
import { hirerView } from './organization-views.js';

const ASSETS = 'https://assets.playground.example';

/** AdvertisementBranding of the schema. */
export function brandingView(branding: Branding): object {
  const name = branding.id.slice(branding.id.lastIndexOf(':') + 1);
  return {
    id: { value: branding.id },
    name: branding.name,
    hirer: (_args: unknown, { world }: Context) =>
      hirerView(requireObject(world.hirers, branding.hirerId, 'hirer')),
    images: [
      { typeCode: 'OriginalLogo', url: `${ASSETS}/brandings/${name}/logo.png` },
      { typeCode: 'CoverImage', url: `${ASSETS}/brandings/${name}/cover.jpg` },
    ],
  };
}

/** ApplicationQuestionnaire of the schema. */
export function questionnaireView(questionnaire: Questionnaire): object {
  return {
    id: { value: questionnaire.id },
    hirer: (_args: unknown, { world }: Context) =>
      hirerView(requireObject(world.hirers, questionnaire.hirerId, 'hirer')),
    components: questionnaire.questions.map(questionView),
  };
}

/** ApplicationQuestion of the schema. */
export function questionView(question: Question): object {
  const choices = question.choices.map(({ id, text, value, preferred }) => ({
    id: { value: id },
    text,
    value,
    preferredIndicator: preferred,
  }));
  return {
    id: { value: question.id },
    value: question.value,
    componentTypeCode: 'Question',
    questionHtml: question.questionHtml,
    responseTypeCode: question.responseTypeCode,
    responseChoice: choices.length === 0 ? null : choices,
  };
}

interface AdvertisedPosition {
  readonly positionTitle: string;
  readonly positionLocation: readonly string[];
  readonly positionOrganizations: readonly string[];
  readonly jobCategories: readonly string[];
}

const TITLE_CHARACTERS_MAX = 80;

/** Checks an advertised position and returns the currency it is sold in. */
function checkPosition(position: AdvertisedPosition, context: Context): string {
  const { positionLocation, positionOrganizations, jobCategories, positionTitle } = position;
  const [locationId] = positionLocation;
  const [hirerId] = positionOrganizations;
  const [categoryId] = jobCategories;
  const isSingle = [positionLocation, positionOrganizations, jobCategories].every(
    ({ length }) => length === 1,
  );
  if (!isSingle || locationId === undefined || hirerId === undefined || categoryId === undefined) {
    throw graphqlError(
      'BAD_USER_INPUT',
      'A position has one location, one organization and one job category.',
    );
  }
  if (positionTitle.length > TITLE_CHARACTERS_MAX) {
    throw graphqlError(
      'BAD_USER_INPUT',
      `positionTitle has ${String(TITLE_CHARACTERS_MAX)} characters at most.`,
    );
  }
  requireObject(context.world.jobCategories, categoryId, 'jobCategories');
  const location = requireObject(context.world.locations, locationId, 'positionLocation');
  assertHirer(hirerId, context);
  return location.currencyCodes[0] ?? 'AUD';
}

interface ProductsArgs {
  readonly positionProfile: AdvertisedPosition;
  readonly selectedAdvertisementProductId?: string | null;
  readonly limit?: number | null;
}

function listProducts(
  { positionProfile, selectedAdvertisementProductId, limit }: ProductsArgs,
  context: Context,
): object {
  if (limit != null && limit < 3) throw graphqlError('BAD_USER_INPUT', 'limit must be at least 3.');
  const currency = checkPosition(positionProfile, context);
  const products = AD_PRODUCTS.slice(0, limit ?? AD_PRODUCTS.length);
  return {
    information: null,
    products: products.map((product) =>
      productView(product, currency, product.id === selectedAdvertisementProductId),
    ),
  };
}

function productView(product: AdProduct, currency: string, selected: boolean): object {
  const summary = `${currency} ${product.price.toFixed(2)}`;
  return {
    id: { value: product.id },
    label: (_args: unknown, context: Context) => textOf(product.label, context),
    description: (_args: unknown, context: Context) => textOf(product.description, context),
    selected,
    sellingPoints: product.sellingPoints.map((point) => ({
      text: (_args: unknown, context: Context) => textOf(point, context),
    })),
    price: { summary },
    payment: { summary: `${summary} by invoice`, summaryHtml: `<strong>${summary}</strong> by invoice` },
    features: product.features.map((typeCode) => ({ typeCode })),
  };
}

function listBrandings({ hirerId, ...page }: PageArgs & { hirerId: string }, context: Context): object {
  assertHirer(hirerId, context);
  const own = [...context.world.brandings.values()].filter((branding) => branding.hirerId === hirerId);
  return {
    ...pageOf(own, page, { sizeMax: 100, keyOf: ({ id }) => id, node: brandingView }),
    brandManagementUrl: `${ASSETS}/brand-management`,
  };
}

interface QuestionSuggestionArgs {
  readonly schemeId: string;
  readonly first?: number | null;
}

function suggestQuestions({ schemeId, first }: QuestionSuggestionArgs, { world }: Context): object[] {
  assertScheme(schemeId);
  const size = first ?? 10;
  if (size < 1 || size > 10) throw graphqlError('BAD_USER_INPUT', 'first must be from 1 to 10.');
  const [questionnaire] = world.questionnaires.values();
  return (questionnaire?.questions ?? []).slice(0, size).map((question, index) => ({
    confidence: 0.9 - index / 10,
    question: questionView(question),
  }));
}

/** Queries for advertisement products, brandings and questionnaires, and the preview of a position. */
export const advertisingQueries: RootFields = {
  advertisementBranding: ({ id }: { id: string }, context) => {
    const branding = findObject(context.world.brandings, id, context);
    if (branding === null) return null;
    assertHirer(branding.hirerId, context);
    return brandingView(branding);
  },
  advertisementBrandings: listBrandings,
  advertisementProducts: listProducts,
  applicationQuestionnaire: ({ id }: { id: string }, context) => {
    const questionnaire = findObject(context.world.questionnaires, id, context);
    if (questionnaire === null) return null;
    assertHirer(questionnaire.hirerId, context);
    return questionnaireView(questionnaire);
  },
  applicationLibraryQuestionSuggestions: suggestQuestions,
  postedPositionProfilePreview: ({ positionProfile }: { positionProfile: AdvertisedPosition }, context) => {
    checkPosition(positionProfile, context);
    return {
      previewUri: `https://previews.playground.example/${encodeURIComponent(positionProfile.positionTitle)}`,
    };
  },
};
