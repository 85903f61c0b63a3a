<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en_US" sourcelanguage="en">
<context>
    <name>Format</name>
    <message numerus="yes">
        <source>%n wait</source>
        <translation>
            <numerusform>One waits</numerusform>
            <numerusform>%n wait</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n readers</source>
        <translation>
            <numerusform>%n reader</numerusform>
            <numerusform>%n readers</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n holders</source>
        <translation>
            <numerusform>%n holder</numerusform>
            <numerusform>%n holders</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>LockSentence</name>
    <message numerus="yes">
        <source>, %n levels deep</source>
        <translation>
            <numerusform>, one level deep</numerusform>
            <numerusform>, %n levels deep</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>It renewed %n times</source>
        <translation>
            <numerusform>It renewed once</numerusform>
            <numerusform>It renewed %n times</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n wait</source>
        <translation>
            <numerusform>One waits</numerusform>
            <numerusform>%n wait</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::DetailsPane</name>
    <message numerus="yes">
        <source>%n facts</source>
        <translation>
            <numerusform>one fact</numerusform>
            <numerusform>%n facts</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>and one more</numerusform>
            <numerusform>and %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::EmptyPage</name>
    <message numerus="yes">
        <source>%n locks are known; this view and this filter let none of them through.</source>
        <translation>
            <numerusform>One lock is known; this view and this filter do not let it through.</numerusform>
            <numerusform>%n locks are known; this view and this filter let none of them through.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::StatusLine</name>
    <message numerus="yes">
        <source>%n divergences since start</source>
        <translation>
            <numerusform>one divergence since start</numerusform>
            <numerusform>%n divergences since start</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>audit: %n writes</source>
        <translation>
            <numerusform>audit: one write</numerusform>
            <numerusform>audit: %n writes</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>lockhouse::ui::ToolRow</name>
    <message numerus="yes">
        <source>Held still, %n changes wait</source>
        <translation>
            <numerusform>Held still, one change waits</numerusform>
            <numerusform>Held still, %n changes wait</numerusform>
        </translation>
    </message>
</context>
</TS>
