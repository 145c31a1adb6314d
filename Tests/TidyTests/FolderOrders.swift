// SPDX-License-Identifier: Apache-2.0

/// The order of the folders of each target from the bottom up, and how many references to types may go up: numbers that
/// only shrink.
enum FolderOrders {
  static let all: [String: [String]] = [
    "Roost": [
      "", "History", "Stores", "Pages", "Servers", "Selecting", "Live", "Context", "Model",
      "Requests", "Past", "Objects",
    ],
    "RoostCommandKit": [
      "Output", "Stores", "Reports", "Diagram", "Page", "Browser", "Server", "Templates",
      "Commands",
      "",
    ],
    "RoostConformance": [
      "", "Report", "Run",
    ],
    "RoostConformanceCases": [
      "Saving", "Undo", "Inheritance", "Walks", "Relationships", "Validation", "Metadata",
      "Evolution", "History", "Events",
      "Identity", "Hierarchy", "Faulting", "Fetching", "Search", "Batch", "SeveralStores",
      "AcrossStores",
      "Properties", "Live", "Conflicts", "Merging", "Values", "Exchange",
      "Misuse", "Names", "Constraints",
      "Generations",
      "DeleteRules", "",
    ],
    "RoostConformanceKit": [
      "Expectations", "Harness", "Values", "Words", "Stage", "Case", "Models", "Faults",
    ],
    "RoostContainers": [
      "", "FetchedResults", "Objects",
    ],
    "RoostCoordinator": [
      "Cache", "History", "Stores", "Identity", "Generations", "Fetching", "Past", "Evolution",
      "Migration",
      "",
      "Saving",
      "Batch",
    ],
    "RoostCoreDataNames": [
      "", "Errors", "Foundation", "Objects", "Container", "Migration", "Requests",
    ],
    "RoostExchange": [
      "Text", "Values", "Plans", "Files", "Exporting", "Importing", "Seeding",
    ],
    "RoostInMemory": [
      "Entries", "Records", "", "Binary",
    ],
    "RoostKeyValue": [
      "Encoding", "Engine", "History", "Indexes", "Planning", "Records", "Store", "Batches",
      "Evolution",
    ],
    "RoostLMDB": [
      "Environment", "Engine", "Store",
    ],
    "RoostModel": [
      "Errors", "", "Archives", "Descriptions", "Identity", "Rows", "Values", "Hashing", "Checking",
      "Compiling", "XcodeModels", "CompiledModels", "Evolution",
    ],
    "RoostObjects": [
      "", "State", "Notifications", "Upstream", "Events", "Fetching", "Declarations", "Recording",
      "Relationships", "Deleting", "Objects", "Undo", "Conflicts", "Validation", "Batch", "Values",
      "Saving", "Hierarchy", "Merging", "Context", "History", "Live", "CoreDataNames",
    ],
    "RoostPostgreSQL": [
      "Values", "Settings", "Rows", "Connection", "Schema", "History", "Statements", "Words",
      "Views", "Store", "", "Saving", "Batches", "Preparation", "Evolution", "Expansion",
    ],
    "RoostQuery": [
      "", "Expressions", "Predicates", "Format", "Requests", "Resolved", "Evaluation", "Resolving",
      "Typed", "Translation",
    ],
    "RoostSQL": [
      "Dialect", "Schema", "Views", "Statements", "Store", "Values", "Generation", "Batches",
      "Evolution", "Expansion",
    ],
    "RoostSQLite": [
      "Connection", "Rows", "History", "Words", "Store", "Views", "Batches", "Evolution",
    ],
    "RoostSimulation": [
      "Numbers", "Reference", "Questions", "Walk", "Anomalies", "Crowd",
    ],
    "RoostStore": [
      "Sharing", "", "Hints", "History", "Preparation", "Instruments", "Evolution", "Derivation",
      "Forwarding",
    ],
    "RoostMigration": ["Expressions", "", "Files", "Transforms", "Stages", "Fixtures"],
    "RoostMacros": ["Protocol", "Syntax", "Expansion", "Plugin"],
  ]

  /// The references that go up, each with its reason.
  static let allowed: [String: Int] = [
    // The state of the graph names what parts above it fill in: declarations, the undo link, the merge policy.
    "RoostObjects": 20,
    // An environment keeps the readers that wait for their next use.
    "RoostLMDB": 1,
    // Descriptions know the values, rows and compiled forms that are made of them.
    "RoostModel": 77,
  ]
}
