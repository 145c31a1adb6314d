// SPDX-License-Identifier: Apache-2.0

public import RoostConformanceKit

/// All cases of the kit, made of the topics: a case that is written in a topic's file is in it.
///
/// ```swift
/// let cases = ConformanceCatalogue.all.filter { $0.topic == .fetching }
/// ```
public enum ConformanceCatalogue {
  /// All cases, topic after topic.
  public static let all: [ConformanceCase] = ConformanceTopic.allCases.flatMap(\.cases)

  /// The cases that are about several stores: they can have stores of different kinds.
  package static let ofSeveralStores =
    ConformanceTopic.severalStores.cases + ConformanceTopic.acrossStores.cases

  /// Returns the case with an ID.
  public static func conformanceCase(id: String) -> ConformanceCase? {
    byID[id]
  }

  private static let byID = Dictionary(all.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
}

extension ConformanceTopic {
  /// The cases of the topic.
  public var cases: [ConformanceCase] {
    switch self {
    case .values: ValueCases.all
    case .identity: IdentityCases.all
    case .faulting: FaultingCases.all
    case .fetching: FetchingCases.all
    case .search: SearchCases.all
    case .properties: PropertyCases.all
    case .relationships: RelationshipCases.all
    case .deleteRules: DeleteRuleCases.all
    case .validation: ValidationCases.all
    case .saving: SavingCases.all
    case .events: EventCases.all
    case .undo: UndoCases.all
    case .constraints: ConstraintCases.all
    case .conflicts: ConflictCases.all
    case .batch: BatchCases.all
    case .exchange: ExchangeCases.all
    case .hierarchy: HierarchyCases.all
    case .merging: MergingCases.all
    case .generations: GenerationCases.all
    case .severalStores: SeveralStoresCases.all
    case .acrossStores: AcrossStoresCases.all
    case .metadata: MetadataCases.all
    case .evolution: EvolutionCases.all
    case .history: HistoryCases.all
    case .live: LiveCases.all
    case .inheritance: InheritanceCases.all
    case .names: NameCases.all
    case .misuse: MisuseCases.all
    case .walks: WalkCases.all + OracleCases.all
    }
  }
}
